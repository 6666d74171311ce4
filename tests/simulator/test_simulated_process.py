"""The process: start, files, HTTPS, end."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
import requests
from cryptography import x509

from panel_simulator.__main__ import main
from panel_simulator.self_signed import ensure
from tests.support.simulator import FILES, Simulator

START = [sys.executable, "-m", "panel_simulator"]


def wait_until_gone(process: subprocess.Popen[str]) -> float:
    """Return after how many seconds the process has ended."""
    begin = time.monotonic()
    process.wait(10)
    return time.monotonic() - begin


@contextlib.contextmanager
def start_process(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """Yield a process with these options, and what it says; on standard error that is nothing."""
    command = [*START, "--api-key", "k", "--max-seconds", "30", *arguments]
    with subprocess.Popen(
        command, cwd=FILES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        yield process, process.stdout
        assert (process.returncode, process.stdout.read(), process.stderr.read()) == (0, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_and_ends_at_once_when_told_to(
    tmp_path: Path, number: signal.Signals
) -> None:
    port_file = tmp_path / "port"
    pid_file = tmp_path / "pid"

    with start_process("--port-file", str(port_file), "--pid-file", str(pid_file)) as (
        process,
        output,
    ):
        line = output.readline()
        port = port_file.read_text()

        assert line == f"Panel simulator listens on http://127.0.0.1:{port.strip()}/api/v2\n"
        assert (port, pid_file.read_text()) == (f"{int(port)}\n", f"{process.pid}\n")

        url = f"http://127.0.0.1:{port.strip()}/api/v2/ping"

        with requests.Session() as session:
            assert session.get(url, headers={"X-API-Key": "k"}, timeout=5).status_code == 200
            process.send_signal(number)
            assert wait_until_gone(process) < 5

    assert not pid_file.exists()


def test_the_process_id_of_another_process_stays_in_its_file(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"

    with start_process("--pid-file", str(pid_file)) as (process, output):
        assert output.readline()

        pid_file.write_text("1\n", encoding="ascii")
        process.terminate()
        wait_until_gone(process)

    assert pid_file.read_text(encoding="ascii") == "1\n"


def test_the_name_server_listens_on_loopback_too_and_says_where(tmp_path: Path) -> None:
    with start_process("--dns", "0", "--dns-port-file", str(tmp_path / "port")) as (
        process,
        output,
    ):
        output.readline()
        port = int((tmp_path / "port").read_text())

        assert output.readline() == f"Panel simulator answers DNS queries on 127.0.0.1:{port}\n"

        for table, state in (("tcp", "0A"), ("udp", "07")):
            rows = [
                line.split() for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
            ]
            bound = [row[1] for row in rows if row[3] == state and row[1].endswith(f":{port:04X}")]
            assert bound == [f"0100007F:{port:04X}"]

        with socket.create_connection(("127.0.0.1", port), timeout=5):
            process.send_signal(signal.SIGTERM)
            assert wait_until_gone(process) < 5


def test_it_ends_with_its_parent() -> None:
    with (
        subprocess.Popen(["sleep", "60"]) as parent,
        start_process("--parent", str(parent.pid)) as (process, output),
    ):
        output.readline()
        time.sleep(0.3)

        assert process.poll() is None

        parent.kill()
        # The parent is a zombie now; nobody has waited for it yet.
        assert wait_until_gone(process) < 8


def test_it_ends_after_its_time(capfd: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    assert main(["--api-key", "k", "--max-seconds", "0.3"]) == 0
    assert 0.3 <= time.monotonic() - begin < 10
    assert capfd.readouterr().out.startswith("Panel simulator listens on http://127.0.0.1:")


def test_objects_outlive_a_restart_in_a_private_file(tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"

    with Simulator.start(arguments=["--state", str(state_file)], max_seconds=60) as simulator:
        created = simulator.request("POST", "/clients", {"username": "acme"}).json()
        simulator.request("POST", "/domains", {"id_user": created["id"], "domain": "acme.example"})
        simulator.request("PUT", "/dns/1", {"is_dns_disabled": True})
        state = simulator.get_state()
        deadline = time.monotonic() + 10

        while time.monotonic() < deadline and not (
            state_file.exists() and json.loads(state_file.read_text()) == state
        ):
            time.sleep(0.05)

        simulator.process.kill()

    assert stat.S_IMODE(state_file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]

    with Simulator.start(arguments=["--state", str(state_file)], max_seconds=60) as simulator:
        assert simulator.get_state() == state
        assert simulator.request("GET", "/dns/name/acme.example").json()["is_dns_disabled"] is True
        simulator.request("POST", "/clients", {"username": "late"})

    assert "late" in state_file.read_text()


def test_a_seed_file_is_planted_at_the_start_and_again_at_a_reset(tmp_path: Path) -> None:
    seed_file = tmp_path / "seed.yml"
    state_file = tmp_path / "state.json"
    seed_file.write_text(
        "clients:\n  - username: acme\ndomains:\n  - {domain: acme.example, client: acme}\n"
    )
    arguments = ["--seed", str(seed_file), "--state", str(state_file)]
    with Simulator.start(arguments=arguments, max_seconds=60) as simulator:
        simulator.request("DELETE", "/domains/1")

    with Simulator.start(arguments=arguments, max_seconds=60) as simulator:
        assert simulator.request("GET", "/domains").json() == []
        simulator.reset()
        assert simulator.request("GET", "/domains/name/acme.example").status_code == 200


@pytest.mark.parametrize("name", ["127.0.0.1", "panel.example"])
def test_a_self_signed_certificate_is_made_once_and_names_the_host(
    tmp_path: Path, name: str
) -> None:
    arguments = ["--name", name, "--directory", str(tmp_path / "tls")]
    outputs = []
    contents = []

    for _time in range(2):
        command = [sys.executable, "-m", "panel_simulator.self_signed", *arguments]
        done = subprocess.run(
            command, cwd=FILES, capture_output=True, text=True, check=True, timeout=30
        )
        outputs.append(done.stdout)
        contents.append(
            [
                (tmp_path / "tls" / file).read_bytes()
                for file in ("certificate.pem", "private_key.pem")
            ]
        )

    assert (outputs, contents[0]) == (["created\n", "present\n"], contents[1])
    assert stat.S_IMODE((tmp_path / "tls" / "private_key.pem").stat().st_mode) == 0o600

    extensions = x509.load_pem_x509_certificate(contents[0][0]).extensions
    names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert [str(item.value) for item in names] == [name]


def test_https_is_served_with_verification_and_survives_a_reset_of_the_connection(
    tmp_path: Path,
) -> None:
    ensure("127.0.0.1", tmp_path)
    files = (str(tmp_path / "certificate.pem"), str(tmp_path / "private_key.pem"))

    with Simulator.start(tls=files, max_seconds=60) as simulator:
        assert simulator.url.startswith("https://")
        assert simulator.request("GET", "/ping").status_code == 200

        simulator.queue_fault({"kind": "reset"})
        with pytest.raises(requests.ConnectionError):
            simulator.request("GET", "/ping")

        with pytest.raises(requests.exceptions.SSLError):
            requests.get(f"{simulator.api_url}/ping", timeout=5)

        assert simulator.request("GET", "/ping").status_code == 200
        assert simulator.read_errors() == ""


CANNOT = "The simulator cannot start: "


@pytest.mark.parametrize(
    ("arguments", "content", "message"),
    [
        ([], "", "one of the arguments --api-key --api-key-file is required"),
        (["--api-key", ""], "", f"{CANNOT}the API key is empty"),
        (
            ["--api-key", "k", "--port", "65536"],
            "",
            "argument --port: must be a number from 0 to 65535",
        ),
        (
            ["--api-key", "k", "--dns", "domain"],
            "",
            "argument --dns: must be a number from 0 to 65535",
        ),
        (["--api-key", "k", "--dns-port-file", "f"], "", "--dns-port-file needs --dns"),
        (
            ["--api-key", "k", "--port", "TAKEN"],
            "",
            f"{CANNOT}Address already in use (port TAKEN). Set another one: --port, simulator_port",
        ),
        (
            ["--api-key", "k", "--dns", "TAKEN"],
            "",
            f"{CANNOT}Address already in use (port TAKEN for DNS).",
        ),
        (
            ["--api-key", "k", "--seed", "missing"],
            "",
            f"{CANNOT}missing: No such file or directory.",
        ),
        (
            ["--api-key", "k", "--tls", "a", "a"],
            "",
            f"{CANNOT}--tls a a: No such file or directory.",
        ),
        (["--api-key", "k", "--seed", "FILE"], "{", f"{CANNOT}FILE is neither JSON nor YAML: "),
        (
            ["--api-key", "k", "--seed", "FILE"],
            "clients: [{username: B}]",
            f"{CANNOT}clients[0]: username: may have",
        ),
        (
            ["--api-key", "k", "--state", "FILE"],
            "{}",
            f"{CANNOT}FILE does not hold a state of the simulator: ",
        ),
        (
            ["--api-key", "k", "--seed", "FILE"],
            "[" * 5000,
            f"{CANNOT}FILE is neither JSON nor YAML: ",
        ),
        (
            ["--api-key", "k", "--settings", "[" * 90_000],
            "",
            f"{CANNOT}the settings are not JSON: ",
        ),
        (
            ["--api-key", "k", "--state", "FILE"],
            "[" * 90_000,
            f"{CANNOT}FILE does not hold a state of the simulator: ",
        ),
        (
            ["--api-key", "k", "--state", "FILE"],
            "x",
            f"{CANNOT}FILE does not hold a state of the simulator: ",
        ),
    ],
)
def test_a_wrong_start_is_explained_without_a_traceback_and_leaves_files_alone(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    content: str,
    message: str,
) -> None:
    file = tmp_path / "file"
    file.write_text(content)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        real = {"FILE": str(file), "TAKEN": str(listener.getsockname()[1])}

        try:
            code: object = main(
                [*(real.get(argument, argument) for argument in arguments), "--max-seconds", "5"]
            )
        except SystemExit as end:
            code = end.code

    captured = capfd.readouterr()

    assert (code, captured.out, "Traceback" in captured.err, file.read_text()) == (
        2,
        "",
        False,
        content,
    )
    assert message.replace("FILE", real["FILE"]).replace("TAKEN", real["TAKEN"]) in captured.err


def test_a_python_without_what_it_needs_is_told_in_one_sentence() -> None:
    # Without the libraries that are installed.
    command = [sys.executable, "-S", "-m", "panel_simulator", "--api-key", "k"]
    done = subprocess.run(
        command, cwd=FILES, capture_output=True, text=True, check=False, timeout=30
    )
    message = f"The simulator cannot start with {sys.executable}: it needs PyYAML.\n"

    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
