"""The README's promise: two phones, a board, a whole game to its scored end, with mishaps on the way."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests import forked
from tests.e2e.chromium import LAN_NAME
from tests.e2e.hands import KEYS, POINTER, TAPS, Hands
from tests.e2e.program import Program, eventually
from tests.e2e.room import ENDING, won_by

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

Rounds = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""Each turn's placements by seat, and the steps after them."""

# A pull, a push, a double and a shift; the last placement closes an unbreakable loop, and nobody has scored.
SHORT = (
    (("bC8", "bC2"), ()),
    (("wC1", "wC4"), ("C2+C1",)),
    (("wC3", "bD3"), ("C3-C4-C5",)),
    (("bC6", "bC6"), ("C6/C5",)),
    (("bC1", "wB3"), ()),
)

# The same with a score, and with steps that follow each other.
GAME = (
    (("bD2", "bD2"), ("D2/D3", "D2-D3-D4")),
    (("bD16", "wD11"), ()),
    (("bD12", "bD12"), ("D12/12", "D12+D11")),
    (("wD6", "bD8"), ()),
    (("bD13", "wC8"), ()),
    (("bC1", "wA1"), ("C1+C8",)),
    (("bD5", "bD14"), ("D5+D6",)),
)

FOUR_TO_A_LOOP = (
    (("wD9", "bD5", "wD13", "bC1"), ()),
    (("wC5", "wD3", "bD15", "wD10"), ("C5-D9-9",)),
    (("bD1", "wD16", "wD1", "bD9"), ("D16+D15", "D9+C5")),
    (("wD15", "wC8", "bC5", "wD11"), ("C8+C1",)),
)

FOUR_TO_FULL_HOMES = (
    (("wD16", "wD16", "bB1", "wD16"), ("D16/16", "D16/D15", "D15-D16-D1")),
    (("bC8", "wD11", "bC5", "wD12"), ("C8+D15", "D11-D12-D13")),
    (("bC6", "wC7", "bB4", "wD6"), ("C6-C5-C4", "C7-D13-13", "B4+C7", "D11+C6")),
    (("wC7", "wB2", "bD13", "bD13"), ("D13/13", "C7+D13", "B2+B1")),
    (("wD13", "bC3", "wC5", "bD8"), ("C4+C5",)),
    (("wD12", "wB1", "wD14", "bD16"), (
        "16+D16", "D13-D14-D15", "D12-D13-D14", "D15-D14-D13", "D12-D13-D14", "D15-D14-D13", "D12-D13-D14",
        "D14-D15-D16", "D16-D1-D2",
    )),
    (("bD3", "wD15", "bD3", "bD13"), ("D3/3", "D12+D13", "D16-D15-15", "3-D3-C2", "C3-C2-C1", "B1+C1")),
    (("bB3", "wD15", "wA1", "wD10"), (
        "D15-D14-D13", "B3+A1", "D16-D15-D14", "D13-D14-D15", "D15-D16-D1", "D1-D2-D3", "3+D3",
    )),
    (("bD5", "bC1", "wD2", "wD14"), (
        "D14-D15-D16", "D13-D14-D15", "C1+D1", "D16-D15-D14", "C3-D5-5", "D13-D14-D15", "D15-D16-D1", "D2-D1-D16",
        "D15-D16-D1", "D1-D2-D3",
    )),
    (("wD14", "wC2", "bC6", "wC2"), ("C2/C3", "D13-D14-14")),
)  # fmt: skip


def sit_down(program: Program, phone: BrowserContext, seat: int, name: str) -> Page:
    page = phone.new_page()
    page.goto(program.join_link(seat, f"http://{LAN_NAME}:{program.port}"))
    # A page that has not seen the lobby yet would not know that the game has just begun.
    expect(page.locator("#stand-up")).to_be_visible()
    assert page.evaluate("isSecureContext") is False
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text(name)
    return page


def at_table(program: Program, phones: Sequence[BrowserContext], *names: str) -> list[Page]:
    """Seat people and start the game; return their pages at the table. Nobody uses the pages of the lobby."""
    for seat, (phone, name) in enumerate(zip(phones, names, strict=False), 1):
        cookie, _, value = program.join(seat, name).partition("=")
        phone.add_cookies([{"name": cookie, "value": value, "url": f"http://{LAN_NAME}:{program.port}"}])
    program.start_game()
    eventually(lambda: program.state()["phase"] != "lobby", "the game begins")
    pages = [phone.new_page() for phone in phones[: len(names)]]
    for page in pages:
        page.goto(f"http://{LAN_NAME}:{program.port}/play")
    return pages


def seal(page: Page, placement: str) -> None:
    colour = {"w": "white", "b": "black"}[placement[0]]
    page.get_by_role("radio", name=colour).click()
    page.locator(f'[data-node="{placement[1:]}"]').click()
    page.get_by_role("button", name=f"Seal {colour} on {placement[1:]}").click()
    expect(page.get_by_role("button", name=f"Seal {colour} on {placement[1:]}")).to_have_count(0)


def put_down(program: Program, placements: tuple[str, str]) -> None:
    """Put the two stones where the lights breathe in the seats' colours."""
    program.until_phase("placing")
    first, second = (placement[1:] for placement in placements)
    blue = program.lit(first)
    assert blue[2] > blue[0], f"{first} breathes in seat 1's blue, not {blue}"
    if first != second:
        orange = program.lit(second)
        assert orange[0] > orange[2], f"{second} breathes in seat 2's orange, not {orange}"
    for placement in placements:
        program.hand("put", node=placement[1:], piece=placement[0])


def step(program: Program, action: str) -> None:
    """Make a step by hand; a stack that no sensor sees is tapped."""
    source, target, partner = parts(action)
    view = program.until_phase("resolving")
    hidden = next(one["hidden"] for one in view["steps"] if one["action"] == action)
    program.hand("lift", node=source)
    if not hidden and view["board"][source] and len(view["board"][source]) == 1:
        assert eventually(lambda: program.pixels()[target] == (0, 255, 255), f"{target} lights up cyan")
    program.hand("put", node=target)
    if hidden:
        program.tapped(target, view, action)
    program.counted(view, action)
    assert partner is not None


def parts(action: str) -> tuple[str, str, str]:
    if "+" in action:
        puller, pulled = action.split("+")
        return pulled, puller, puller
    if "/" in action:
        source, target = action.split("/")
        return source, target, source
    pusher, pushed, target = action.split("-")
    return pushed, target, pusher


def go_wrong_and_mend_it(program: Program, page: Page, node: str) -> None:
    """A black stone of nobody's step is carried to its home; the table notices, guides it back, and play goes on."""
    program.until_phase("resolving")
    before, home = program.state()["board"], node[1:]
    program.hand("move", **{"from": node, "to": home})
    expect(page.locator("#problem")).to_contain_text(home)
    red = program.lit(home)
    assert red[0] > 0 == red[1] == red[2], f"{home} blinks red, not {red}"
    eventually(lambda: "The board differs" in program.state()["message"], "the repair view")
    assert program.state()["tasks"][0] == {"do": "move", "from": home, "to": node, "pieces": ["b"], "seat": None}
    program.follow_the_lights_once()
    eventually(lambda: program.state()["problem"] is None, "the repair")
    assert program.state()["board"] == before


def restart(program: Program, pages: list[Page]) -> None:
    """The plug is pulled; the stones are swept off; the table comes back, phones keep their seats, lights lead."""
    before = program.state()
    program.stop(signal.SIGKILL)
    program.start("--resume")
    program.until_phase("setup")
    for page in pages:
        expect(page.get_by_role("heading", name="Set the board up")).to_be_visible()
    program.follow_the_lights("setup")
    after = program.state()
    assert (after["board"], after["turn"], after["phase"]) == (before["board"], before["turn"], before["phase"])
    for page, name in zip(pages, ("Ann", "Bob"), strict=True):
        expect(page.locator("#who .name")).to_have_text(name)


def drag_a_stone(program: Program, screen: BrowserContext, placement: str) -> None:
    """Drag one stone on the virtual board from its tray, as a person would."""
    page = screen.new_page()
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto(f"{program.base}/board")
    expect(page.locator("#table")).to_be_visible()  # From then on nothing moves.
    tray = page.locator(f"#tray-{placement[0]}").bounding_box()
    node = page.locator(f'[data-node="{placement[1:]}"] .spot').bounding_box()
    assert tray is not None
    assert node is not None
    page.mouse.move(tray["x"] + 20, tray["y"] + 20)
    page.mouse.down()
    page.mouse.move(node["x"] + 10, node["y"] + 10, steps=8)
    page.mouse.move(node["x"] + node["width"] / 2, node["y"] + node["height"] / 2)
    page.mouse.up()
    eventually(lambda: program.get("/sim/state")["stones"].get(placement[1:]), "the dragged stone lies")
    page.close()


SHORT_LOOP, GAME_LOOP = {"C1", "C6", "C8"}, {"D2", "D4", "D13", "D14", "D16"}


@pytest.mark.parametrize(
    ("game", "restarted", "wrong", "loop", "winner", "scores"),
    [
        pytest.param(SHORT, 2, ("C6/C5", "D3"), SHORT_LOOP, 1, [0, 0], id="short"),
        pytest.param(GAME, 4, ("C1+C8", "D8"), GAME_LOOP, 2, [0, 1], id="long", marks=pytest.mark.thorough),
    ],
)
def test_two_phones_play_a_whole_game(
    program: Program, phones: Sequence[BrowserContext], game: Rounds, restarted: int, wrong: tuple[str, str],
    loop: set[str], winner: int, scores: list[int],
) -> None:  # fmt: skip
    """With a stone that is dragged, one that goes wrong, and a restart; up to the next lobby."""
    program.start("--new")
    ann, bob = (sit_down(program, phone, seat, name) for phone, seat, name in
                ((phones[0], 1, "Ann"), (phones[1], 2, "Bob")))  # fmt: skip
    program.start_game()
    pages = [ann, bob]
    for page in pages:
        page.wait_for_url("**/play")
    for turn, (placements, steps) in enumerate(game, 1):
        program.until_phase("sealing")
        for page, placement in zip(pages, placements, strict=True):
            seal(page, placement)
        if turn == 2:
            program.until_phase("placing")
            drag_a_stone(program, phones[2], placements[0])
            program.hand("put", node=placements[1][1:], piece=placements[1][0])
        else:
            put_down(program, placements)
        for action in steps:
            if action == wrong[0]:
                go_wrong_and_mend_it(program, pages[1], wrong[1])
            step(program, action)
        if turn == restarted:
            program.until_phase("sealing")
            restart(program, pages)
    program.until_phase("clearing")
    assert {node for node, light in program.state()["lights"].items() if light["meaning"] == "loop"} == loop
    violet = program.lit(max(loop))
    assert violet[2] > violet[0] > violet[1], f"the loop glows violet, not {violet}"
    program.follow_the_lights("clearing")
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("loop", [winner])
    assert [line["score"] for line in view["result"]["lines"]] == scores
    for page in pages:
        expect(page.locator(".ended")).to_be_visible()
        expect(page.locator(ENDING)).to_have_text(won_by(f"{('Ann', 'Bob')[winner - 1]}"))
    won = [node for node, light in program.state()["lights"].items() if light["meaning"] == "won"]
    homes = view["seats"][winner - 1]["homes"]
    assert len(won) == (scores[winner - 1] or len(homes)), "what counted sweeps, all homes where nothing did"
    for red, _, blue in map(program.lit, won):
        assert blue > red if winner == 1 else red > blue, "the winner's homes sweep in the winner's colour"
    verify_the_record(program, wrong[0])
    ann.locator("#menu").click()
    ann.locator("#new").click()
    ann.wait_for_url("**/")
    assert [seat["name"] for seat in program.until_phase("lobby")["seats"]] == ["Ann", "Bob"]


def verify_the_record(program: Program, action: str) -> None:
    """The running journal and the exported record of the game verify, and tell it."""

    def record(*words: str) -> str:
        return forked.run("record", "--data", str(program.data), *words, check=True).stdout

    game = program.state()["game"]["id"]
    assert game in record("list")
    assert action in record("export", game)
    exported = program.data / "game.jsonl"
    record("export", game, "--out", str(exported))
    assert record("verify", str(exported))
    assert "in order" in record("verify")


def lying(board: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what lies on each node, whatever lies below and above."""
    return {node: sorted(stack) for node, stack in board.items()}


def by_hand(program: Program, hands: Hands, action: str) -> None:
    """Make a step on the virtual board's page; a stack that no sensor sees is tapped as often as the table asks for."""
    view = program.until_phase("resolving")
    one = next(one for one in view["steps"] if one["action"] == action)
    ((source, target),) = one["moves"]
    hands.move(source, target)
    if one["hidden"] and len(view["board"][source]) > 1:  # No sensor has changed.
        program.tapped(target, view, action, 2, hands.tap)
    elif one["hidden"]:

        def answer() -> re.Match[str] | bool | None:
            state = program.state()
            return state["log"] != view["log"] or re.search(r"tap th.*stack.*", state["message"])

        asked = eventually(answer, f"{action} counts, or a tap is asked for")
        if isinstance(asked, re.Match):
            program.tapped(target, view, action, 1 + ("twice" in asked[0]), hands.tap)
    program.counted(view, action)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "reason", "winner"),
    [(FOUR_TO_A_LOOP, "loop", 3), (FOUR_TO_FULL_HOMES, "filled", 4)],
    ids=["loop", "filled"],
)
def test_four_phones_play_a_whole_game(
    program: Program, phones: Sequence[BrowserContext], screen: Page, game: Rounds, reason: str, winner: int
) -> None:
    """From the lobby to the result, every stone by hand on the virtual board's page."""
    names, hands = ("Ann", "Bob", "Cleo", "Dan"), Hands(program, screen, POINTER, TAPS, KEYS)
    program.start("--new", "--mode", "4", "--kind", "presence")
    pages = [
        sit_down(program, phone, seat, name) for seat, (phone, name) in enumerate(zip(phones, names, strict=True), 1)
    ]
    hands.open()
    program.start_game()
    for page in pages:
        page.wait_for_url("**/play")
    for turn, (placements, steps) in enumerate(game, 1):
        view = program.until_phase("sealing")
        assert view["turn"] == turn
        assert lying(view["board"]) == lying(hands.stones)
        for page, placement in zip(pages, placements, strict=True):
            seal(page, placement)
        program.until_phase("placing")
        for placement in placements:
            hands.put(placement[1:], placement[0])
        nodes = [placement[1:] for placement in placements]
        for stack in {node for node in nodes if nodes.count(node) > 1}:
            expect(pages[0].locator("#message")).to_contain_text(f"Then tap {stack}")
            hands.tap(stack)
        eventually(lambda: program.state()["phase"] != "placing", "all stones lie")
        for action in steps:
            assert program.until_phase("resolving")["resolver"] == (turn - 1) % 4 + 1
            by_hand(program, hands, action)
    if reason == "loop":
        program.until_phase("clearing")
        program.follow_the_lights("clearing", lambda task: hands.take(task["node"]))
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == (reason, [winner])
    for page in pages:
        expect(page.locator(".ended")).to_be_visible()
        expect(page.locator(ENDING)).to_have_text(won_by(f"{names[winner - 1]}"))
    verify_the_record(program, game[-1][1][-1])
