"""The HTML report in a real browser: it asks for nothing, runs nothing, fits a phone, is dark if wished."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES
from matplotlib.image import imread

import smianalyze

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    "--allow-file-access-from-files",  # the outer page of a test measures the report inside it
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--virtual-time-budget=5000",  # until all is loaded
)
PHONE_PX = 360
LIGHT, DARK = 0.9, 0.2

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="needs Chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    demo = FIXTURES / "demo"
    capture = smianalyze.load(demo / "smi_before.txt", demo / "smi_after.txt")
    return capture.report(tmp_path_factory.mktemp("report") / "out", html=True).path / "report.html"


@pytest.fixture
def trap() -> Iterator[tuple[str, list[str]]]:
    """A server that nothing may ask, with what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def browse(folder: Path, page: Path, *options: str) -> str:
    """What the browser says when it has loaded the page; its profile is in the folder."""
    assert BROWSER is not None
    command = [BROWSER, *OPTIONS, f"--user-data-dir={folder / 'profile'}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def with_traps(page: str, url: str) -> str:
    """The page with what a hole in our escaping would let in."""
    bait = (
        f"<script>document.title = 'ran'</script><img src={url}/picture><script src={url}/script></script>"
        f"<link rel=stylesheet href={url}/style><iframe src={url}/frame></iframe><p style='color: red'>"
        f"<img src=x onerror=\"document.title = 'ran'\"><style>@import '{url}/import'</style>"
    )
    return page.replace("</main>", bait + "</main>")


@pytest.mark.parametrize(("policy", "holds"), [(True, True), (False, False)])
def test_policy_keeps_what_is_let_in_from_asking_and_running(
    policy: bool, holds: bool, page: Path, trap: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, asked = trap
    text = with_traps(page.read_text(encoding="utf-8"), url)
    if not policy:  # the same page without it: the traps do work
        text = re.sub("<meta http-equiv[^>]*>", "", text)
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    shown = browse(tmp_path, tmp_path / "page.html", "--dump-dom")

    assert ("<title>ran</title>" not in shown) == holds
    assert (asked == []) == holds


def test_report_fits_a_phone_and_shows_its_pictures(page: Path, tmp_path: Path) -> None:
    outer = f"""<iframe src="{page.as_uri()}" width="{PHONE_PX}" height="700"></iframe><p id="said"></p><script>
    document.querySelector("iframe").onload = event => {{
      const inner = event.target.contentDocument, root = inner.documentElement
      const seen = [...inner.images].filter(image => image.complete && image.naturalWidth > 0).length
      document.querySelector("#said").textContent = `${{root.scrollWidth}} ${{inner.images.length}} ${{seen}}`
    }}</script>"""
    (tmp_path / "outer.html").write_text(outer, encoding="utf-8")
    shown = browse(tmp_path, tmp_path / "outer.html", "--dump-dom")
    width, images, seen = map(int, re.findall('<p id="said">([0-9]+) ([0-9]+) ([0-9]+)</p>', shown)[0])

    assert width <= PHONE_PX
    assert images == seen == 3


def test_page_is_dark_where_that_is_wished(page: Path, tmp_path: Path) -> None:
    brightness = []
    for number, options in enumerate([(), ("--force-dark-mode",)]):
        picture = tmp_path / f"{number}.png"
        browse(tmp_path, page, f"--screenshot={picture}", "--window-size=1000,600", *options)
        brightness.append(float(imread(picture)[5, 5, :3].mean()))

    assert brightness[0] > LIGHT
    assert brightness[1] < DARK


def test_page_prints(page: Path, tmp_path: Path) -> None:
    browse(tmp_path, page, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer")

    assert (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n") in (2, 3)
