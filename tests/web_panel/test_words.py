"""Languages of the panel: complete catalogues, and everything that a page, a view or a refusal says in them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from babel.messages import Catalog
from babel.messages.pofile import read_po
from flask import Flask

from lodestone.tables import SimulatedTable
from tests.sampling import together
from tests.sentences import sentence
from tests.web_panel.table import OWN, Phone, panel, sit
from tools import words
from tools.words import ROOT, extract, folders, parts, update_catalogue
from web_panel.languages import CONTEXT, COOKIE, FOLDER, LANGUAGES, WHOLE, languages, read, share

CATALOGUES = sorted(FOLDER.glob("*.po"))
ENDS = re.compile(r"[.?!:…;,]$")
VALUE = re.compile(r"\{\w+(?:![rs])?\}|%\(\w+\)s|</?\w+>")
GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.5"}


@pytest.fixture(scope="module")
def template() -> Catalog:
    return extract()


def forms(message: Any) -> list[tuple[set[str], str]]:
    """Return every form of a translation, with the values that have to stand in it."""
    if isinstance(message.id, str):
        return [(set(VALUE.findall(message.id)), message.string)]
    one, many = (set(VALUE.findall(form)) for form in message.id)
    return [(many if at or many == one else one, form) for at, form in enumerate(message.string)]


# -- catalogues -----------------------------------------------------------------------------------------------------


def test_the_program_says_a_lot(template: Catalog) -> None:
    sentences = {message.id for message in template if isinstance(message.id, str)}
    assert len(template) > 700
    assert {"I agree", "The proof", "Loading the table …", "Taken back by hand."} <= sentences, "all kinds of files"


def test_a_sentence_is_whole(template: Catalog) -> None:
    """What begins or ends in a space is glued to something: another language has other places for its words."""
    sentences = [form for one in template if one.id for form in ([one.id] if isinstance(one.id, str) else one.id)]
    assert [form for form in sentences if form != form.strip() or form[:1] in ",;:.)"] == []


def test_every_sentence_of_a_script_is_found(template: Catalog) -> None:
    """The extractor does not look into all of a template literal; what stands there is missed without a word."""
    known = {message.id if isinstance(message.id, str) else message.id[0] for message in template if message.id}
    packages = "web_panel/static", "firmware_host/extensions", "firmware_host/link"
    for path in sorted(path for package in packages for path in (ROOT / package).rglob("*.js")):
        for form in re.findall(r'\bsay(?:Many|Around)?\(\s*"((?:[^"\\]|\\.)+)"', path.read_text(encoding="utf-8")):
            assert json.loads(f'"{form}"') in known, f"{path.name}: say it outside of the template literal"


def test_each_part_of_the_program_has_its_catalogues() -> None:
    assert folders() == list(parts())


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.parent.name)
def test_german_has_what_the_program_says_and_nothing_else(folder: Path) -> None:
    """Where this fails: ``make words``, translate what is new, look at what is fuzzy and take the mark off."""
    path, template = folder / "de.po", parts()[folder]
    with path.open("rb") as lines:
        catalogue = read_po(lines, locale=path.stem)
    known = {(message.context, message.id) for message in catalogue if message.id}
    wanted = {(message.context, message.id) for message in template if message.id}
    assert known - wanted == set(), "said no more"
    assert wanted - known == set(), "new"
    assert [message.id for message in catalogue if message.id and message.fuzzy] == []
    assert [message.id for message in catalogue if message.id and not (message.string and all(message.string))] == []
    assert update_catalogue(path, template) == path.read_text(encoding="utf-8"), "make words"


@pytest.mark.parametrize("code", [code for code in languages() if code != "en"])
def test_an_offered_language_has_nearly_all_that_the_program_says(code: str, template: Catalog) -> None:
    """Where this fails: ``make words``, translate. New sentences may be missing: pages show them in English."""
    language = languages()[code]
    wanted = [(one.context, one.id if isinstance(one.id, str) else one.id[0]) for one in template if one.id]
    keys = [f"{context}{CONTEXT}{form}" if context else form for context, form in wanted]
    missing = [key for key in keys if key not in language.sentences]
    assert len(missing) <= (1 - WHOLE) * len(keys), missing


def test_an_unfinished_language_is_offered_from_a_folder_of_its_own_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "".join(f'msgid "{number}"\nmsgstr "N{number}"\n\n' for number in range(29))
    head = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
    left = {
        "fr": "",
        "it": 'msgid "left"\nmsgstr ""\n\n',
        "es": '#, fuzzy\nmsgid "left"\nmsgstr "old"\n\n',
        "nl": 'msgid "one"\nmsgid_plural "many"\nmsgstr[0] ""\nmsgstr[1] ""\n\n',
        "pl": 'msgid "long"\nmsgstr ""\n"in lines"\n',
    }
    for code, entry in left.items():
        (tmp_path / f"{code}.po").write_text(head + told + entry, "utf-8")
    shares = {code: share((tmp_path / f"{code}.po").read_text("utf-8")) for code in left}
    assert {code for code, part in shares.items() if part == 1} == {"fr", "pl"}
    assert {shares[code] for code in ("it", "es", "nl")} == {29 / 30}
    assert set(languages(tmp_path)) == {"en", *left}
    monkeypatch.setattr("web_panel.languages.FOLDER", tmp_path)
    assert set(languages.__wrapped__(tmp_path)) == {"en", "fr", "pl"}


def test_a_mended_sentence_keeps_its_translation_as_fuzzy(tmp_path: Path) -> None:
    path = tmp_path / "fr.po"
    head = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'
    path.write_text(head + 'msgid "Put the stone on {node}, please."\nmsgstr "Pose la pierre sur {node}."\n', "utf-8")
    program = Catalog()
    program.add("Put your stone on {node}, please.", locations=[("a/b.py", 7)])
    program.add("Quite another sentence", locations=[("a/a.py", 9)])
    path.write_text(update_catalogue(path, program), encoding="utf-8")
    assert path.read_text("utf-8").endswith(
        '#: a/a.py\nmsgid "Quite another sentence"\nmsgstr ""\n\n'
        '#: a/b.py\n#, fuzzy, python-brace-format\n#| msgid "Put the stone on {node}, please."\n'
        'msgid "Put your stone on {node}, please."\nmsgstr "Pose la pierre sur {node}."\n\n'
    )
    assert update_catalogue(path, program) == path.read_text("utf-8"), "once more the same"
    assert read(path).sentences == {}, "nobody has looked at it yet"
    assert read(path).name == "français", "make words names the language"


def test_a_sentence_that_has_moved_leaves_no_trace_of_one_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes translated from the catalogue in which it stood, though the new one has a sentence much like it."""
    path, moved = tmp_path / "de.po", "a lamp is on the wall already"
    path.write_text('msgid ""\nmsgstr ""\n\nmsgid "a lamp is on no wall"\nmsgstr "an keiner Wand"\n', "utf-8")
    before, program = Catalog(locale="de"), Catalog()
    before.add(moved, "schon an der Wand")
    for one in (moved, "a lamp is on no wall"):
        program.add(one, locations=[("a.py", 1)])
    monkeypatch.setattr(words, "elsewhere", lambda _path: iter([before]))
    path.write_text(update_catalogue(path, program), encoding="utf-8")
    assert f'#: a.py\nmsgid "{moved}"\nmsgstr "schon an der Wand"\n' in path.read_text("utf-8")
    assert "#|" not in path.read_text("utf-8")
    assert update_catalogue(path, program) == path.read_text("utf-8")


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_translations_hold_the_same_values_and_end_alike(path: Path) -> None:
    with path.open("rb") as lines:
        catalogue = read_po(lines, locale=path.stem)
    for message in [one for one in catalogue if one.id and one.string and (path.stem == "de" or all(one.string))]:
        english = message.id if isinstance(message.id, str) else message.id[1]
        if not isinstance(message.id, str):
            assert len(message.string) == catalogue.num_plurals
        for values, form in forms(message):
            assert set(VALUE.findall(form)) == values, english
            assert ENDS.findall(form) == ENDS.findall(english), english
            assert form == form.strip(), english
            assert "  " not in form, english


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_form_without_its_number_is_said_of_one_alone(path: Path) -> None:
    """French has one form for 0 and 1; "une personne" must not be said of nobody."""
    language = read(path)
    for forms in language.plural_forms.values():
        for count in (0, 2, 3, 5, 11, 12, 21, 22, 25, 100, 101):
            form = forms[language.which(count)]
            assert "{count}" in form or "{count}" not in forms[-1], (count, forms)


def test_a_missing_or_doubtful_sentence_stays_english(tmp_path: Path) -> None:
    path = tmp_path / "fr.po"
    path.write_text(
        'msgid ""\nmsgstr ""\n"X-Language-Name: le français\\n"\n"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'
        'msgid "Yes"\nmsgstr "Oui"\n\n#, fuzzy\nmsgid "No"\nmsgstr "Peut-être"\n\nmsgid "Copy"\nmsgstr ""\n\n'
        'msgctxt "side"\nmsgid "red"\nmsgstr "Rouge"\n\n'
        'msgid "{count} seal"\nmsgid_plural "{count} seals"\nmsgstr[0] "{count} sceau"\nmsgstr[1] "{count} sceaux"\n',
        encoding="utf-8",
    )
    french = read(path)
    assert (french.code, french.name) == ("fr", "le français")
    assert [french.find(form) for form in ("Yes", "No", "Copy", "red")] == ["Oui", "No", "Copy", "red"]
    assert french.find("red", "side") == "Rouge"
    counted = [french.find_many("{count} seal", "{count} seals", count) for count in (0, 1, 2)]
    assert counted == ["{count} sceau", "{count} sceau", "{count} sceaux"]
    assert french.for_browsers()["which"][:3] == [0, 0, 1]


def test_browsers_get_the_sentences_of_scripts_alone(tmp_path: Path) -> None:
    path = tmp_path / "fr.po"
    path.write_text(
        'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'
        '#. script\nmsgid "Yes"\nmsgstr "Oui"\n\nmsgid "Copy"\nmsgstr "Copie"\n\n'
        '#. script\nmsgctxt "side"\nmsgid "red"\nmsgstr "Rouge"\n\n'
        '#. script\nmsgid "{count} seal"\nmsgid_plural "{count} seals"\n'
        'msgstr[0] "{count} sceau"\nmsgstr[1] "{count} sceaux"\n',
        encoding="utf-8",
    )
    told = read(path).for_browsers()
    assert told["sentences"] == {"Yes": "Oui", "side\x04red": "Rouge", "{count} seal": "{count} sceau"}
    assert told["counted"] == {"{count} seal": ["{count} sceau", "{count} sceaux"]}


@pytest.mark.parametrize("code", [path.stem for path in CATALOGUES])
def test_browsers_get_every_sentence_of_every_script(code: str) -> None:
    """Also what an extension's script says as the panel's Python does."""
    told = languages()[code].for_browsers()
    scripts = [one for one in words.said() if one.path.endswith(".js")]
    assert len(scripts) > 400
    for one in scripts:
        key = (
            one.message[0]
            if isinstance(one.message, tuple)
            else f"{one.context}\x04{one.message}"
            if one.context
            else one.message
        )
        assert key in told["sentences"] or key in told["counted"], f"{one.path}, line {one.line}: {key}"


# -- a new language is one file -------------------------------------------------------------------------------------


def test_a_file_in_the_folder_is_a_language(table: SimulatedTable, tmp_path: Path) -> None:
    (tmp_path / "fr.po").write_text(
        'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'
        'msgid "At the table"\nmsgstr "À table"\n\n'
        f'msgid "{sentence("All seats are taken. The host")}"\nmsgstr "Toutes les places sont prises."\n',
        encoding="utf-8",
    )
    app = panel(table)
    app.config[LANGUAGES] = tmp_path
    phone = Phone(app)
    for seat, name in enumerate(("Ann", "Bob"), 1):
        assert Phone(app).join(seat, name) == (200, {"ok": True})
    french = {"Accept-Language": "fr-CA,fr;q=0.8"}
    page = phone.client.get("/play", headers=french)
    assert '<html lang="fr">' in page.text
    assert "À table" in page.text
    assert 'data-language="fr" aria-pressed="true">français<' in page.text
    assert "Deutsch" not in page.text
    view = phone.client.get("/api/state", headers=french).get_json()
    assert view["message"] == "Toutes les places sont prises."
    assert "À table" in phone.client.get("/words.js", headers=french).text


def test_languages_of_countries(app: Flask, tmp_path: Path) -> None:
    for code in ("pt_BR", "pt"):
        (tmp_path / f"{code}.po").write_text(f'msgid ""\nmsgstr ""\n\nmsgid "Yes"\nmsgstr "Sim ({code})"\n', "utf-8")
    app.config[LANGUAGES] = tmp_path
    for wanted, told in (("pt-BR,pt;q=0.9", "pt-BR"), ("pt-PT", "pt"), ("en", "en")):
        page = app.test_client().get("/play", headers={"Accept-Language": wanted}).text
        assert f'<html lang="{told}">' in page
        assert (f"Sim ({told.replace('-', '_')})" in page) == (told != "en")


# -- who is answered in which language ------------------------------------------------------------------------------


@together(
    ("wanted", "chosen", "answered"),
    [
        ("de-DE,de;q=0.9,en;q=0.5", None, "de"),
        ("de-AT", None, "de"),
        ("en-GB,en;q=0.9,de;q=0.8", None, "en"),
        ("xx,ja;q=0.9", None, "en"),
        ("", None, "en"),
        ("de", "en", "en"),
        ("en", "de", "de"),
        ("de", "xx", "de"),
        ("de", "../../etc/passwd", "de"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_browsers(
    app: Flask, wanted: str, chosen: str | None, answered: str
) -> None:
    client = app.test_client()
    if chosen is not None:
        client.set_cookie(COOKIE, chosen)
    for path in ("/", "/play", "/tv", "/proof", "/host", "/nothing-here"):
        page = client.get(path, headers={"Accept-Language": wanted})
        assert f'<html lang="{answered}">' in page.text, path
        assert {"Cookie", "Accept-Language"} <= set(page.vary), path
    words = client.get("/words.js", headers={"Accept-Language": wanted})
    assert json.loads(words.text.removeprefix("export default ").removesuffix(";\n"))["language"] == answered
    assert {"Cookie", "Accept-Language"} <= set(words.vary)


def test_the_menu_chooses(app: Flask) -> None:
    phone = Phone(app)
    assert "Language" in phone.client.get("/").text
    assert phone.post("language", {"language": "de"}) == (200, {"ok": True})
    kept = phone.client.get_cookie(COOKIE)
    assert kept is not None
    assert (kept.value, kept.same_site, kept.http_only) == ("de", "Strict", True)
    assert "Sprache" in phone.client.get("/").text
    assert phone.post("language", {"language": "en"}) == (200, {"ok": True})
    assert "Sprache" not in phone.client.get("/").text


@pytest.mark.parametrize(
    "body", [{"language": "xx"}, {"language": 1}, {"language": None}, {}, {"language": "de", "more": 1}, ["de"], "de"]
)
def test_no_other_language_is_taken(app: Flask, body: Any) -> None:
    phone = Phone(app)
    status, answer = phone.post("language", body) if body else phone.post("language")
    assert (status, answer["error"]["code"]) == (400, "bad_request")
    assert phone.client.get_cookie(COOKIE) is None


def test_other_pages_choose_nothing(app: Flask) -> None:
    client = app.test_client()
    foreign = client.post("/api/language", json={"language": "de"}, headers={"Origin": "http://evil.example", **OWN})
    assert (foreign.status_code, foreign.get_json()["error"]["code"]) == (403, "foreign")
    form = client.post("/api/language", data="language=de", headers=OWN)
    assert form.status_code == 415
    assert client.get_cookie(COOKIE) is None


# -- views and refusals ---------------------------------------------------------------------------------------------


def test_everybody_reads_the_same_table_in_their_own_language(table: SimulatedTable) -> None:
    app = panel(table)
    ann = sit(table, app, "Ann", "Bob")[0]
    english = ann.client.get("/api/state")
    german = ann.client.get("/api/state", headers=GERMAN)
    assert english.get_json()["message"] == sentence("choose and seal a", turn=1, names="Ann and Bob")
    assert german.get_json()["message"] == sentence("choose and seal a", language="de", turn=1, names="Ann und Bob")
    one, other = english.get_json(), german.get_json()
    assert other["pieces"] == {"w": "weiß", "b": "schwarz"}
    assert one["tints"] == other["tints"] == {"w": "white", "b": "black"}, "no word is a key"
    assert other["own_messages"]["1"] == "Zug 1: Wähle und versiegle deine Platzierung."
    closed = other["seal"].pop("closed"), one["seal"].pop("closed")
    assert closed[0]["5"].startswith("5 ist ein Heimknoten")
    assert closed[0].keys() == closed[1].keys()
    for name in ("seq", "you", "seats", "board", "layout", "seal", "phase", "can"):
        assert one[name] == other[name], name
    assert german.headers["ETag"] != english.headers["ETag"]
    assert german.headers["ETag"] == f'{english.headers["ETag"][:-1]}-de"'
    assert {"Cookie", "Accept-Language"} <= set(german.vary)
    known = {"If-None-Match": english.headers["ETag"]}
    assert ann.client.get("/api/state", headers={**GERMAN, **known}).status_code == 200
    assert ann.client.get("/api/state", headers=known).status_code == 304


def test_a_stream_keeps_the_language_in_which_it_was_opened(table: SimulatedTable) -> None:
    app = panel(table)
    ann = sit(table, app, "Ann", "Bob")[0]
    stream = ann.client.get("/api/events", headers=GERMAN)
    pieces = iter(stream.response)
    events = [next(pieces).decode() for _ in range(2)]
    assert "-de\n" in events[1]
    view = json.loads(events[1].partition("\ndata: ")[2])
    assert view["message"].startswith("Zug 1: ")
    stream.close()


def test_refusals_are_told_in_the_language_of_the_request(table: SimulatedTable) -> None:
    app = panel(table)
    ann = sit(table, app, "Ann", "Bob")[0]
    refused = [ann.post("mask", {"node": "Q7"}), ann.post("mask", {"node": "Q7"}, **GERMAN)]
    assert [status for status, _ in refused] == [409, 409]
    assert [answer["error"] for _, answer in refused] == [
        {"code": "bad_node", "message": "node: 'Q7' is not on this board"},
        {"code": "bad_node", "message": sentence("node: {node} is not on", language="de", node="'Q7'")},
    ]
    watcher = Phone(app)
    assert watcher.post("resign", **GERMAN)[1]["error"]["message"] == sentence("no seat; join first", language="de")
    assert "fehlt" in ann.post("mask", {}, **GERMAN)[1]["error"]["message"]


def test_names_stay_what_they_are(table: SimulatedTable) -> None:
    """A name that looks like a sentence of the program, or like a place for a value, is not one."""
    app = panel(table)
    sit(table, app, "Yes", "{name}")
    view = Phone(app).client.get("/api/state", headers=GERMAN).get_json()
    assert [seat["name"] for seat in view["seats"]] == ["Yes", "{name}"]
    assert "Yes und {name}" in view["message"]


def test_the_languages_that_are_shipped() -> None:
    assert list(languages()) == ["en", "de", "es", "fr", "it", "nl", "pl", "pt_BR"]
    assert [language.name for language in languages().values()][1:4] == ["Deutsch", "español", "français"]
    assert languages()["pt_BR"].name == "português (Brasil)"
