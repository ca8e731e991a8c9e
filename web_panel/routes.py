"""Requests and pages, each declared once, with its handler: path, fields with types and bounds, sender, answer.

    @routes.post("/api/why", "player", answer="Why")
    def why(panel: Panel, from_: Word | None = None, to: Word | None = None) -> Mapping[str, Any]:
        'Ask by which rule a piece can't go from a node to a node; nothing is done.'

A handler is a function of the context (the panel) and of the values of the path, or of the body's fields: its
annotations are their schemas, its docstring the summary and the description. Bounds are keywords of JSON Schema:
``percent: Annotated[int, (("minimum", 10), ("maximum", 100))]``. A field with a default may be missing; a trailing
``_`` is no part of a name. A parameter ``by`` is no field: a seat's phone acts in its name, and the handler passes it
on with what is to be done (:meth:`web_panel.panel.Panel.admit`). From these declarations follow the routes, the check
of bodies and senders, and the OpenAPI description (:mod:`web_panel.openapi`), which has nothing to keep in step.

A request that is nothing but an event of the table needs no handler: it is declared at the event's class
(:func:`firmware_host.table.events.post`), and so are its fields. A handler with a parameter ``body`` checks the whole
body itself.

A handler returns None ("done"), a mapping (JSON; after a request with ``ok``), a text (HTML) or a whole response.
Sentences in a mapping are answered in the reader's language.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, Protocol, TypeVar, get_args, get_type_hints

from flask import Blueprint, Flask, Response, jsonify, request

from firmware_host.table.events import Event, Request
from firmware_host.table.subjects.seats import SeatClaim
from firmware_host.text import json_reader
from firmware_host.text.json_reader import Form, InvalidField, InvalidJson, Schema, check_field, schema_of
from firmware_host.text.words import say
from web_panel.languages import in_words
from web_panel.refusals import Denied, own_page, refusal_response

MAX_BODY = 4096
EXTENSION = "lodestone-routes"
"""Where an app keeps the routes that were added to it."""

Sender = Literal["player", "seated", "host", "ticket", "token", "ask", "asking", "learner", "hotspot", "guest", ""]
"""Who may send a request: a seat's phone, or that of a lesson alone; a seat's phone, for what the table alone does; the
host's; the holder of a ticket, or of the host's token; a phone that asks, or has asked, for a seat; the phone that
began the lesson (or the host's); one in the machine's own Wi-Fi (or the host's); anybody in the room. Empty: the
handler looks itself."""
Handler = Callable[..., Any]
Handling = TypeVar("Handling", bound=Handler)
Answers = Mapping[str, str | Schema | None]
"""Status → the name of a component, or a response; None: no such answer."""


class Context(Protocol):
    """What handlers are given."""

    def admit(self, sender: Sender) -> AbstractContextManager[Mapping[str, Any]]:
        """Handle a request of a sender in the body of the ``with``; give what handlers get of that sender.

        Raise Denied for anybody else.
        """
        ...


class ForEverybody:
    """A :class:`Context` that admits everybody."""

    def admit(self, sender: Sender) -> AbstractContextManager[Mapping[str, Any]]:  # noqa: ARG002 - whoever it is
        """Admit everybody."""
        return nullcontext({})


@dataclass(frozen=True)
class Route:
    """A path and what answers it."""

    method: str
    path: str
    """As Flask writes it: ``/join/<int:seat>``."""
    summary: str
    handler: Handler
    sender: Sender
    fields: Mapping[str, Schema] = field(default_factory=dict)
    """The body's fields: name (``name?`` may be missing) → schema."""
    values: Mapping[str, Schema] = field(default_factory=dict)
    """The path's values: name → schema."""
    kind: str = "application/json"
    answer: str | Schema = field(default_factory=dict)
    """The schema of the answer; of a POST request a response, or its name."""
    answers: Answers = field(default_factory=dict)
    event: type[Event] | None = None
    """The event that a request hands to the table, which takes it in some phases alone."""
    former: Mapping[str, str] = field(default_factory=dict)
    """Names that fields had in an earlier release, whose pages may still be open → present names. Not described."""
    more: Schema = field(default_factory=dict)
    """More of the description: ``description``, ``parameters``, ``requestBody`` …"""

    @property
    def template(self) -> str:
        """Return the path as OpenAPI writes it: ``/join/{seat}``."""
        return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", self.path)


class Routes:
    """The routes of one subject."""

    def __init__(self, name: str, schemas: Mapping[str, Schema] | None = None, *, static: str = "") -> None:
        """``name`` becomes the blueprint's. ``schemas`` are components of the description.

        ``static`` is the path of a folder of files, which the app or the blueprint itself serves.
        """
        self.name, self.schemas, self.static = name, schemas or {}, static
        self._all: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        """Yield each route."""
        return iter(self._all)

    def get(
        self,
        path: str,
        answer: Form | None = None,
        sender: Sender = "",
        *,
        kind: str = "",
        more: Schema | None = None,
        **answers: str | Schema | None,
    ) -> Callable[[Handling], Handling]:
        """Return a decorator: the function answers GET requests for a path, in JSON of a schema or else as ``kind``.

        Other answers than 200 are given as ``_404="Missing"``: the name of a component, or a whole response.
        """

        def add(handler: Handling) -> Handling:
            named = {status.lstrip("_"): what for status, what in answers.items()}
            form = kind or ("text/html" if answer is None else "application/json")
            summary, description = _doc_of(handler)
            self._all.append(
                Route("get", path, summary, handler, sender, values=_parameters(handler), kind=form,
                      answer=schema_of(str if answer is None else answer), answers=named,
                      more={**description, **(more or {})})
            )  # fmt: skip
            return handler

        return add

    def post(
        self,
        path: str,
        sender: Sender,
        *,
        answer: str | Schema = "Done",
        event: type[Event] | None = None,
        former: Mapping[str, str] | None = None,
        more: Schema | None = None,
        **answers: str | Schema | None,
    ) -> Callable[[Handling], Handling]:
        """Return a decorator: the function handles POST requests to a path.

        It raises TypeError for a number without bounds, which no request could be checked against.
        """

        def add(handler: Handling) -> Handling:
            fields = _parameters(handler)
            for name, schema in fields.items():
                if schema.get("type") == "integer" and "minimum" not in schema:
                    raise TypeError(f"{path}: {name}: a number in a request has bounds")
            summary, description = _doc_of(handler)
            named = {status.lstrip("_"): what for status, what in answers.items()}
            self._all.append(
                Route("post", path, summary, handler, sender, fields, answer=answer, answers=named,
                      event=event, former=former or {}, more={**description, **(more or {})})
            )  # fmt: skip
            return handler

        return add

    def event(self, event: type[Event], request: Request) -> None:
        """Add a request that is an event of the table."""
        kinds = get_type_hints(event, include_extras=True)
        optional = {one.name for one in fields(event) if one.default is not MISSING}
        names = request.fields.split()
        body = {name + "?" * (name in optional): _schema(kinds[name], name in optional) for name in names}
        sender: Sender = "host" if request.path.startswith("/api/host/") else "player"
        owned = "seat" in kinds and sender == "player"

        def handle(panel: Any, by: SeatClaim | None = None, **values: Any) -> None:
            mine = {"seat": by.seat} if owned and by is not None else {}
            panel.submit(event(at=panel.now(), **mine, **values), by)

        route = Route("post", request.path, request.summary, handle, sender, body, answer="Done", event=event)
        self._all.append(route)

    def blueprint(self, context: Context, module: str = __name__, **more: Any) -> Blueprint:
        """Return all routes, answered with a context; ``module`` and ``more`` are arguments of the blueprint."""
        made = Blueprint(self.name, module, **more)
        made.register_error_handler(Denied, refusal_response)
        made.record(lambda state: state.app.extensions.setdefault(EXTENSION, []).append(self))
        for route in self._all:
            endpoint = re.sub(r"\W+", "-", f"{route.method}{route.path}")
            made.add_url_rule(route.path, endpoint, _view(route, context), methods=[route.method.upper()])
        return made


def routes_of(app: Flask) -> list[Routes]:
    """Return the routes that were added to an app."""
    found: list[Routes] = app.extensions.get(EXTENSION, [])
    return found


def _doc_of(handler: Handler) -> tuple[str, Schema]:
    """Return a handler's summary, and its description if it has one."""
    summary, _, description = (inspect.getdoc(handler) or "").partition("\n\n")
    return summary.removesuffix("."), {"description": description.replace("\n", " ")} if description else {}


def _parameters(handler: Handler) -> dict[str, Schema]:
    """Return name → schema of a handler's parameters but for the context and ``by``; ``name?`` has a default."""
    kinds = get_type_hints(handler, include_extras=True)
    found = {}
    for parameter in list(inspect.signature(handler).parameters.values())[1:]:
        if parameter.name in {"body", "by"}:
            continue
        optional = parameter.default is not inspect.Parameter.empty
        name = parameter.name.removesuffix("_") + "?" * optional
        found[name] = _schema(kinds[parameter.name], optional)
    return found


def _schema(kind: Any, optional: bool) -> Schema:
    """Return the schema of a parameter. ``Word | None = None`` may be missing, but not be null."""
    inner = [one for one in get_args(kind) if one is not type(None)]
    plain_union = not hasattr(kind, "__metadata__") and type(None) in get_args(kind)
    return schema_of(inner[0] if optional and plain_union else kind)


# -- requests ---------------------------------------------------------------------------------------------------------


def _view(route: Route, context: Context) -> Callable[..., Any]:
    keywords = {name.removesuffix("?"): name for name in route.fields}
    signature = inspect.signature(route.handler).parameters
    renamed = {name: f"{name}_" for name in keywords if f"{name}_" in signature}

    def answer(**values: Any) -> Any:
        if route.method == "post" and "body" in signature:
            values["body"] = json_body()
        elif route.method == "post":
            body = checked_body(route.fields, route.former)
            values |= {renamed.get(name, name): value for name, value in body.items()}
        with context.admit(route.sender) as given:
            values |= {name: value for name, value in given.items() if name in signature}
            try:
                found = route.handler(context, **values)
            except InvalidField as error:
                raise Denied(400, "bad_request", error.message) from error
        if isinstance(found, Mapping):
            found = {**({"ok": True} if route.method == "post" else {}), **in_words(found)}
        return success() if found is None else jsonify(found) if isinstance(found, dict) else found

    return answer


def checked_body(fields: Mapping[str, Schema], former: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of a request of the panel's own pages, which has these fields. Raise Denied for anything else."""
    body = {former.get(name, name): value for name, value in json_body().items()}
    try:
        json_reader.check_names(body, [name.removesuffix("?") for name in fields])
        return {name: check_field(body, name, schema) for name, schema in _present(body, fields)}
    except InvalidJson as error:
        raise Denied(400, "bad_request", error.message) from error


def json_body() -> dict[str, Any]:
    """Return the JSON object that one of the panel's own pages sends. Raise Denied for anything else."""
    if not own_page():
        raise Denied(403, "foreign", say("requests of other pages are not taken"))
    if request.mimetype != "application/json":
        raise Denied(415, "bad_request", say("expected Content-Type: application/json"))
    request.max_content_length = MAX_BODY
    try:
        return json_reader.read_object(request.get_data())
    except InvalidJson as error:
        raise Denied(400, "bad_request", error.message) from error


def _present(body: Mapping[str, Any], fields: Mapping[str, Schema]) -> Iterator[tuple[str, Schema]]:
    """Yield name and schema of each field that the body has or has to have."""
    for name, schema in fields.items():
        if not name.endswith("?"):
            yield name, schema
        elif name[:-1] in body:
            yield name[:-1], schema


# -- answers ----------------------------------------------------------------------------------------------------------


def success() -> Response:
    """Return the answer to a request that has succeeded."""
    return jsonify({"ok": True})


def as_download(response: Response, name: str) -> Response:
    """Return the response as a file with this name."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def unless_known(response: Response) -> Response:
    """Turn an answer that the page already has into a 304."""
    response.add_etag()
    response.make_conditional(request)
    return response
