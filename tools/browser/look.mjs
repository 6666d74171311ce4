// Opens pages and prints as JSON what there is to see: looking.py says what goes in (standard input) and what comes out.

import { chromium } from "playwright-core";

const [executable] = process.argv.slice(2);
const ARGUMENTS = [
  "--no-sandbox", // which a container and root do not have; the pages are our own
  "--disable-gpu",
  "--font-render-hinting=none",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", // nothing leaves this machine
];

async function standardInput() {
  let text = "";
  for await (const part of process.stdin) text += part;
  return JSON.parse(text);
}

async function look(browser, view) {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.scheme,
    javaScriptEnabled: view.scripts,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  try {
    const page = await context.newPage();
    const errors = [];
    const requests = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      const isPage = request.isNavigationRequest() && request.frame() === page.mainFrame();
      if (!isPage && !request.url().startsWith("data:")) requests.push(request.url());
    });
    await page.emulateMedia({ media: view.media });
    await page.goto(view.page, { waitUntil: "load" });
    const evaluated = view.evaluate ? await page.evaluate(view.evaluate) : null;
    if (view.picture) await page.screenshot({ path: view.picture, fullPage: true });
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    return { overflow, evaluated: evaluated ?? null, errors, requests };
  } finally {
    await context.close();
  }
}

const browser = await chromium.launch({ executablePath: executable, headless: true, args: ARGUMENTS });
try {
  const sights = [];
  for (const view of await standardInput()) sights.push(await look(browser, view));
  console.log(JSON.stringify(sights));
} finally {
  await browser.close();
}
