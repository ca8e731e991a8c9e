"""Only frames that were sent are accepted, whatever happens on the line."""

from __future__ import annotations

import binascii
from dataclasses import replace

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.extensions.scanner.link import (
    MAX_PAYLOAD,
    FrameError,
    FrameReader,
    Hello,
    ScannerFrame,
    decode,
    encode,
    majority,
    parse_changes,
    parse_hello,
    parse_snapshot,
    snapshot_bytes,
)
from firmware_host.extensions.scanner.simulated import pack

VERSION = st.sampled_from([1, 2])
frames = st.builds(
    ScannerFrame,
    st.sampled_from("hsdpe"),
    st.integers(0, 255),
    st.binary(max_size=MAX_PAYLOAD - 2).map(bytes),
    VERSION,
)
mishaps = st.lists(
    st.tuples(st.sampled_from(["lost", "doubled", "flipped", "noise"]), st.integers(0, 10_000), st.integers(1, 255)),
    max_size=12,
)


def sent(wanted: list[ScannerFrame]) -> bytes:
    return b"".join(encode(frame.type, frame.seq, frame.body, frame.version) for frame in wanted)


def damaged(data: bytes, happened: list[tuple[str, int, int]]) -> bytes:
    line = bytearray(data)
    for what, where, value in happened:
        at = where % (len(line) or 1)
        if what == "noise" or not line:
            line.insert(at, value)
        elif what == "lost":
            del line[at]
        elif what == "doubled":
            line.insert(at, line[at])
        else:
            line[at] ^= value
    return bytes(line)


@given(st.lists(frames, max_size=6), st.lists(st.integers(1, 40), max_size=30))
def test_frames_arrive_as_they_were_sent_however_the_stream_is_cut(wanted: list[ScannerFrame], cuts: list[int]) -> None:
    data, reader, got = sent(wanted), FrameReader(), []
    for cut in [*cuts, len(data)]:
        got += list(reader.feed(data[:cut]))
        data = data[cut:]
    assert got == wanted
    assert reader.dropped == 0


def understood(frame: ScannerFrame) -> bool:
    """Return whether a body has its type's length: the CRC of version 1 accepts an additional zero at the end."""
    try:
        if frame.type == "s":
            parse_snapshot(frame.body, 45, "presence")
        elif frame.type == "d":
            parse_changes(frame.body, 45, "presence")
    except FrameError:
        return False
    return frame.type in "sd" or not frame.body


reports = st.one_of(
    st.builds(ScannerFrame, st.just("p"), st.integers(0, 255), st.just(b"")),
    st.builds(
        lambda seq, time, bits: ScannerFrame("s", seq, time + pack(bits, "presence")),
        st.integers(0, 255),
        st.binary(min_size=4, max_size=4),
        st.lists(st.integers(0, 1), min_size=45, max_size=45),
    ),
    st.builds(
        lambda seq, time, changes: ScannerFrame("d", seq, time + b"".join(bytes([0, *change]) for change in changes)),
        st.integers(0, 255),
        st.binary(min_size=4, max_size=4),
        st.lists(st.tuples(st.integers(0, 44), st.integers(0, 1)), max_size=6),
    ),
)


# A CRC of 16 bits accepts one wrong frame in 65,536, so the examples are always the same.
@settings(derandomize=True, max_examples=400)
@given(st.lists(reports, min_size=1, max_size=8), mishaps)
def test_a_damaged_stream_gives_nothing_that_was_not_sent_and_the_next_frame_is_read(
    wanted: list[ScannerFrame], happened: list[tuple[str, int, int]]
) -> None:
    reader = FrameReader()
    got = [frame for frame in reader.feed(damaged(sent(wanted), happened)) if understood(frame)]
    rest = iter(wanted)
    for frame in got:  # In the order of sending, and none twice.
        assert frame in rest
    last = ScannerFrame("s", 7, b"\1\2\3")
    assert list(reader.feed(b"\0" + sent([last])))[-1:] == [last]
    if not happened:
        assert got == wanted


@given(st.binary(max_size=MAX_PAYLOAD - 2))
def test_a_zero_more_at_the_end_is_no_frame(body: bytes) -> None:
    """An additional 01 before the zero byte is a zero at the end, which the CRC-16 of version 1 accepts."""
    frame, reader = encode("s", 1, body), FrameReader()
    assert list(reader.feed(frame[:-1] + b"\1\0")) == []
    assert reader.dropped == 1


def test_a_zero_more_at_the_end_passes_the_crc_of_version_1_but_not_the_length() -> None:
    frame = encode("s", 1, bytes(4) + pack([1] * 45, "presence"), 1)
    (longer,) = FrameReader().feed(frame[:-1] + b"\1\0")
    assert len(longer.body) == 11
    assert not understood(longer)


bodies = st.one_of(
    st.binary(max_size=24),
    st.lists(st.sampled_from([0, 1, 2, 255]), max_size=24).map(bytes),  # Zeros are what COBS is about.
)


# A CRC of 32 bits accepts one wrong frame in four thousand million; the examples are always the same.
@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.sampled_from("hsdpe"), st.integers(0, 255), bodies)
def test_no_single_byte_lost_doubled_inserted_or_changed_makes_another_frame(kind: str, seq: int, body: bytes) -> None:
    """Every place and every value of one frame is tried, between two others that must both arrive."""
    before, wanted, after = (
        ScannerFrame("p", 1, b""),
        ScannerFrame(kind, seq, body),
        ScannerFrame("s", 2, b"\0\1\2\3\4"),
    )
    frame, first, last = (sent([one]) for one in (wanted, before, after))
    for at in range(len(frame)):
        rest = frame[at + 1 :]
        lines = [frame[:at] + rest, frame[: at + 1] + frame[at:]]
        lines += [frame[:at] + bytes([value]) + rest for value in range(256) if value != frame[at]]
        lines += [frame[:at] + bytes([value]) + frame[at:] for value in range(256)]
        for line in lines:
            got = list(FrameReader().feed(first + line + last))
            assert got[0] == before
            assert got[1:-1] in ([], [wanted])
            if line[-1:] == b"\0":
                assert got[-1] == after
            else:  # The two have become one.
                assert got[1:] in ([], [after], [wanted, after])


@settings(derandomize=True, max_examples=200)
@given(st.lists(frames, min_size=2, max_size=5), st.data())
def test_two_frames_whose_border_is_lost_are_none(wanted: list[ScannerFrame], data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, len(wanted) - 2))
    whole = [replace(frame, version=2) for frame in wanted]
    line = b"".join(sent([frame])[: -1 if index == gone else None] for index, frame in enumerate(whole))
    reader = FrameReader()
    assert list(reader.feed(line)) == whole[:gone] + whole[gone + 2 :]
    assert reader.dropped == 1


@settings(derandomize=True, max_examples=300)
@given(st.binary(max_size=2000))
def test_noise_is_no_frame(noise: bytes) -> None:
    reader = FrameReader()
    assert list(reader.feed(noise + b"\0")) == []
    wanted = [ScannerFrame("p", 1, b"")]
    assert list(reader.feed(sent(wanted))) == wanted


def test_noise_without_an_end_takes_no_memory() -> None:
    reader = FrameReader()
    for _ in range(1000):
        assert list(reader.feed(b"\x55" * 1000)) == []
    assert len(reader._pending) < 300
    assert list(reader.feed(b"\0")) == []
    assert reader.dropped == 1


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "too short"),
        (b"s", "too short"),
        (b"s" + bytes(MAX_PAYLOAD), "too long"),
        (b"s" + bytes(MAX_PAYLOAD + 8), "too long"),
    ],
)
def test_wrong_lengths_are_told_apart(payload: bytes, why: str) -> None:
    content = payload + binascii.crc_hqx(payload, 0xFFFF).to_bytes(2, "big")
    with pytest.raises(FrameError, match=why):
        decode(cobs.encode(content))


def test_a_type_of_the_other_direction_is_dropped() -> None:
    reader = FrameReader()
    assert list(reader.feed(encode("H", 0, b"\1"))) == []
    assert reader.dropped == 1


def test_bytes_of_a_frame_are_those_of_the_page() -> None:
    """CRC-16/CCITT-FALSE of "123456789" is 0x29B1 in every catalogue; high byte first, COBS, zero."""
    assert encode("1", 0x32, b"3456789", 1) == b"\x0c123456789\x29\xb1\x00"
    assert encode("P", 0, b"", 1) == b"\x02P\x03" + binascii.crc_hqx(b"P\0", 0xFFFF).to_bytes(2, "big") + b"\0"


def test_too_much_for_one_frame_is_refused() -> None:
    with pytest.raises(FrameError, match="at most 250 bytes"):
        encode("s", 0, bytes(249))
    assert snapshot_bytes(45, "presence") == 19
    assert snapshot_bytes(244, "level") == 258
    with pytest.raises(FrameError, match="at most 244 nodes of kind level"):
        snapshot_bytes(245, "level")


@pytest.mark.parametrize(("kind", "most"), [("presence", 1), ("polarity", 3), ("level", 255)])
def test_snapshots_carry_every_reading(kind: str, most: int) -> None:
    for channels in (1, 3, 4, 5, 8, 45, 127):
        readings = tuple((channel * 7 + channel // 3) % (most + 1) for channel in range(channels))
        body = b"\0\0\1\2" + pack(readings, kind)
        assert parse_snapshot(body, channels, kind) == (258, readings)
        with pytest.raises(FrameError, match="expected"):
            parse_snapshot(body + b"\0", channels, kind)
        with pytest.raises(FrameError, match="expected"):
            parse_snapshot(body[:-1], channels, kind)


def test_the_lowest_bits_of_a_byte_come_first() -> None:
    assert parse_snapshot(bytes(4) + b"\x05\x01", 9, "presence")[1] == (1, 0, 1, 0, 0, 0, 0, 0, 1)
    assert parse_snapshot(bytes(4) + b"\x39\x02", 5, "polarity")[1] == (1, 2, 3, 0, 2)
    with pytest.raises(FrameError, match="beyond the last node"):
        parse_snapshot(bytes(4) + b"\x05\x03", 9, "presence")


def test_changes_name_channels_that_exist() -> None:
    assert parse_changes(bytes(4) + b"\0\2\1\0\5\0", 45, "presence") == (0, [(2, 1), (5, 0)])
    for wrong in (b"\0\2", b"\0\x2d\1", b"\0\2\2"):
        with pytest.raises(FrameError, match="change"):
            parse_changes(bytes(4) + wrong, 45, "presence")


def test_a_hello_tells_version_nodes_kind_and_name() -> None:
    hello = parse_hello(b"\1\0\x2d\2lodestone-scanner 1.0")
    assert hello == Hello(1, 45, "level", "lodestone-scanner 1.0")
    assert hello.name == "lodestone-scanner"
    for wrong in (b"\1\0\x2d", b"\1\0\x2d\3name"):
        with pytest.raises(FrameError, match="hello"):
            parse_hello(wrong)


@given(st.sampled_from(["presence", "polarity", "level"]), st.data())
def test_one_report_alone_changes_nothing_and_two_change_everything(kind: str, data: st.DataObject) -> None:
    most = {"presence": 1, "polarity": 3, "level": 255}[kind]
    shown, new = (tuple(data.draw(st.integers(0, most)) for _ in range(5)) for _ in range(2))
    assert majority(kind, shown, shown, new) == shown
    assert majority(kind, shown, new, shown) == shown
    assert majority(kind, shown, new, new) == new
