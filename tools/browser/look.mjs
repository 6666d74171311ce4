// Copyright: (c) 2026, the hosting.panel contributors
// SPDX-License-Identifier: GPL-3.0-or-later
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

// Runs in the page.
function measure(selectors) {
  const root = document.documentElement;
  const boxesOf = (selector) =>
    [...document.querySelectorAll(selector)].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const hides = ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis";
      return { x, y, width, height, clipped: hides && element.scrollWidth > element.clientWidth + 1 };
    });
  return {
    title: document.title,
    overflow: root.scrollWidth - root.clientWidth,
    boxes: Object.fromEntries(selectors.map((selector) => [selector, boxesOf(selector)])),
  };
}

// A busy machine makes the browser say now and then that it is unable to take a picture.
async function takePicture(page, view, attempts = 3) {
  try {
    await page.screenshot({ path: view.screenshot, fullPage: view.full_page });
  } catch (error) {
    if (attempts === 1) throw error;
    await takePicture(page, view, attempts - 1);
  }
}

async function look(browser, view) {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.scheme,
    deviceScaleFactor: view.scale,
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
    const seen = await page.evaluate(measure, view.boxes);
    if (view.screenshot) await takePicture(page, view);
    return { ...seen, evaluated: evaluated ?? null, errors, requests };
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
