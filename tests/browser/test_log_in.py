"""The log-in and the description of the service, in a real browser."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import TOKEN, Served


def violations(page: Page) -> list[str]:
    return [each["id"] for each in Axe().run(page).response["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_log_in_once_read_the_docs_and_log_out(page: Page, guarded: Served, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{guarded.address}/docs")
    expect(page).to_have_url(f"{guarded.address}/login?next=/docs")
    assert not violations(page)
    page.get_by_label("Token").fill("not the right one")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("This token is not known here.")
    page.get_by_label("Token").fill(TOKEN.format("anna"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{guarded.address}/docs")
    expect(page.get_by_role("heading", name="/v1/mask")).to_be_visible()
    assert not violations(page)
    [cookie] = page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("fetch('/v1/models').then((answer) => answer.status)") == 200
    assert page.evaluate("fetch('/logout', {method: 'POST'}).then((answer) => answer.url)").endswith("/login")
    assert page.evaluate("fetch('/v1/models').then((answer) => answer.status)") == 401
