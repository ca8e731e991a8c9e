"""What the pictures of docs/pictures are said to show is on the pages, inside the first screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.pictures import FOLDER, MOMENTS, Moment, evening_of, missing, page_of
from tests.sampling import cases

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
PUBLIC = [one for moment in MOMENTS for one in moment.pictures if one.public]


@pytest.mark.parametrize("moment", cases(MOMENTS, MOMENTS[0]), ids=lambda moment: moment.pictures[0].name)
def test_a_page_shows_what_its_caption_says(moment: Moment, browser: Browser, tmp_path: Path) -> None:
    with evening_of(moment, tmp_path) as evening:
        for picture in moment.pictures:
            with page_of(picture, evening, browser, "day") as page:
                assert missing(picture, page) == [], picture.name


def test_every_picture_is_there_by_day_and_in_the_evening() -> None:
    expected = {f"{one.name}-{theme}.png" for one in PUBLIC for theme in one.themes}
    assert {path.name for path in FOLDER.iterdir()} == expected
