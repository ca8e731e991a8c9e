"""Firefox, and the WebKit that iPhones run: two phones play a whole game on plain HTTP, Lodestone moves the stones."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.link.serving import lan_address
from tests.e2e.engines import Phone, phones
from tests.e2e.program import Program, eventually
from tests.e2e.test_whole_game import GAME, verify_the_record

pytestmark = [pytest.mark.e2e, pytest.mark.thorough, pytest.mark.timeout(600)]


def fits(phone: Phone) -> None:
    assert phone.script("return document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the phone"


def sit_down(program: Program, phone: Phone, seat: int, name: str) -> None:
    address = lan_address() or "127.0.0.1"
    phone.goto(program.join_link(seat, f"http://{address}:{program.port}"))
    assert phone.script("return isSecureContext") is (address == "127.0.0.1")
    phone.until("location.pathname === '/' && document.getElementById('stand-up') !== null")
    phone.type(f"#name-{seat}", name)
    phone.script("document.activeElement.blur()")
    phone.until(f"document.getElementById('who').textContent.includes('{name}')")
    fits(phone)


def seal(program: Program, phone: Phone, seat: int, turn: int, placement: str) -> None:
    phone.click(f"#colour-{placement[0]}")
    phone.click(f'[data-node="{placement[1:]}"]')
    phone.until("document.getElementById('seal').getAttribute('aria-disabled') !== 'true'")
    phone.click("#seal")

    def sealed() -> bool:
        view = program.state()
        mine = next(one for one in view["seats"] if one["seat"] == seat)
        return bool(mine["sealed"] or view["phase"] != "sealing" or view["turn"] != turn)

    eventually(sealed, f"{placement} is sealed")


def choose(phone: Phone, action: str) -> None:
    step = f'[id="step-{action}"]'
    phone.click("#menu")
    phone.click("#moves")
    phone.until("document.querySelector(arguments[0]) !== null", step)
    for fold in (f"details.group:not([open]):has({step})",):
        if not phone.seen(step) and phone.script("return document.querySelector(arguments[0]) !== null", fold):
            phone.click(f"{fold} > summary")
    phone.click(step)


@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_two_phones_play_a_whole_game(engine: str, program: Program, tmp_path: Path) -> None:
    with phones(engine, 2, tmp_path) as pages:
        program.start("--new", "--hands", "all", "--pause", "0.02")
        for seat, (page, name) in enumerate(zip(pages, ("Ann", "Bob"), strict=True), 1):
            sit_down(program, page, seat, name)
        program.start_game()
        for page in pages:
            page.until("location.pathname === '/play' && document.querySelector('#board svg') !== null")
            fits(page)
        for turn, (placements, steps) in enumerate(GAME, 1):
            assert program.until_phase("sealing")["turn"] == turn
            for seat, (page, placement) in enumerate(zip(pages, placements, strict=True), 1):
                seal(program, page, seat, turn, placement)
            for action in steps:
                view = program.until_phase("resolving")
                choose(pages[view["resolver"] - 1], action)
                program.counted(view, action)
        assert program.until_phase("over")["result"]["reason"] == "loop"
        for page in pages:
            page.until("document.querySelector('.ended [data-card=\"result\"] #again') !== null")
            fits(page)
        verify_the_record(program, GAME[-1][1][-1])
