"""A running replay: one thread advances the film, updates the strip, and notifies every screen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from firmware_host import platform
from firmware_host.analysis.questions import Analyser, Asking
from firmware_host.replay.cursor import Reel
from firmware_host.replay.scenes import Film, film_view, moment_view
from firmware_host.session.light_renderer import BY_DAY, LightRenderer, LightSetting
from firmware_host.table import lights
from hw.ports import OpenBoard

FRAME_S = 1.0 / lights.FRAMES_PER_SECOND


class ReplaySession:
    """The interface between a replay and its screens: views and orders.

    Thread-safe after :meth:`start`; or call :meth:`step` with a clock of your own.
    """

    def __init__(
        self,
        film: Film,
        reel: Reel,
        board: OpenBoard | None,
        *,
        notice: str | None = None,
        clock: Callable[[], float] = platform.now,
        analyser: Analyser | None = None,
        light_setting: LightSetting = BY_DAY,
    ) -> None:
        """``board`` is None if its lights are not available, ``notice`` says why; screens show the replay anyway.

        ``analyser`` searches for what extensions ask (:meth:`search_for`); ``light_setting`` is the host's.
        """
        self.failure: BaseException | None = None
        """What stopped the thread, if it stopped by itself."""
        self.film, self.board, self.analyser = film, board, analyser
        self._reel = reel
        self._clock = clock
        self._lights = LightRenderer(board, film.game.layout()) if board is not None else None
        self._light_setting = light_setting
        self._notice = notice
        self._changed = threading.Condition()
        self._seq = 1
        self._stopping = False
        self._work: platform.Beside | None = None
        self._unchanging = film_view(film)
        self._asking: Sequence[Asking] = ()

    def search_for(self, questions: Asking) -> None:
        """Search for what an extension asks; ``questions`` returns it, quickly, on the replay's thread."""
        self._asking = (*self._asking, questions)

    # -- called by screens (any thread) ----------------------------------------------------------------------------

    def order(self, order: Mapping[str, Any]) -> None:
        """Follow an order of a screen. Raise InvalidField."""
        with self._changed:
            self._become(self._reel.obey(order, self._clock()))

    def view(self, seat: int | None) -> tuple[int, Mapping[str, Any]]:  # noqa: ARG002 - all see the same
        """Return (sequence number, what is shown)."""
        with self._changed:
            return self._seq, {**self._unchanging, "seq": self._seq, "you": None, **self._moment_fields()}

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after``, or for ``timeout`` seconds; return it."""
        with self._changed:
            self._changed.wait_for(lambda: self._seq > after or self._stopping, platform.patience(timeout))
            return self._seq

    def closing(self) -> bool:
        """Return whether the replay is being closed."""
        return self._stopping

    def claim(self, seat: int) -> str | None:  # noqa: ARG002 - nobody holds a seat of a record
        """Return None: a replay has no seats."""
        return None

    # -- the thread ------------------------------------------------------------------------------------------------

    @property
    def reel(self) -> Reel:
        """Return the state of the replay."""
        return self._reel

    def start(self) -> None:
        """Run beside the screens."""
        self._work = platform.Beside(self._run, "replay")

    def stop(self) -> None:
        """Stop, and wake all waiting screens."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._work is not None:
            self._work.join(timeout=5)

    def step(self) -> None:
        """Advance the time: move on if a moment is due, and light the board."""
        now = self._clock()
        if self.analyser is not None and self._asking:
            self.analyser.ask([question for questions in self._asking for question in questions()])
        with self._changed:
            self._become(self._reel.tick(now))
            scene = self.film.scenes[self._reel.at]
        if self._lights is not None:
            hues = lights.hues(self.film.game, scene.plays, self.film.colours)
            self._lights.show(scene.lamps, hues, now, setting=self._light_setting)
            if self._lights.trouble != self._notice:
                with self._changed:
                    self._notice = self._lights.trouble
                    self._tell()

    def _run(self) -> Iterator[None]:
        try:
            while not self._stopping:
                self.step()
                with self._changed:
                    seen, wait = self._seq, platform.patience(FRAME_S)
                    self._changed.wait_for(lambda seen=seen: self._seq != seen or self._stopping, wait)  # type: ignore[misc]
                yield
        except BaseException as error:  # noqa: BLE001 - whatever it was, the program must say so and end
            self.failure = error

    def _become(self, reel: Reel) -> None:
        if reel != self._reel:
            self._reel = reel
            self._tell()

    def _tell(self) -> None:
        self._seq += 1
        self._changed.notify_all()

    def _moment_fields(self) -> dict[str, Any]:
        """Return the part of the view that changes from moment to moment."""
        reel = self._reel
        return {
            **moment_view(self.film, reel.at),
            "moment": reel.at,
            "playing": reel.playing,
            "pace": reel.pace,
            "notice": self._notice,
        }
