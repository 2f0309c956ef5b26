"""Protocol buffers by the numbers of their fields, as far as models of networks need them.

A message is decoded to the values of every field in order: integers, and bytes for all that has a
length or a fixed size. It is encoded from pairs of a number and a value.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable

Value = int | float | str | bytes
Message = dict[int, list[int | bytes]]

_VARINT, _DOUBLE, _BYTES, _SINGLE = 0, 1, 2, 5
_SIZE = {_DOUBLE: 8, _SINGLE: 4}


def decode(data: bytes) -> Message:
    """The fields of a message; of a number that is not there, an empty list.

    Raises:
        ValueError: it is no message.
    """
    found: Message = defaultdict(list)
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(data, place)
            found[number].append(value)
            continue
        if kind == _BYTES:
            size, place = _varint(data, place)
        elif kind in _SIZE:
            size = _SIZE[kind]
        else:
            raise ValueError(f"a field has the unknown type {kind}")
        if place + size > len(data):
            raise ValueError("the message ends too soon")
        found[number].append(data[place : place + size])
        place += size
    return found


def encode(fields: Iterable[tuple[int, Value]]) -> bytes:
    """A message of these fields; floats in single precision, as models have them."""
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [_encoded(number << 3 | _VARINT), _encoded(value)]
        elif isinstance(value, float):
            parts += [_encoded(number << 3 | _SINGLE), struct.pack("<f", value)]
        else:
            content = value.encode() if isinstance(value, str) else value
            parts += [_encoded(number << 3 | _BYTES), _encoded(len(content)), content]
    return b"".join(parts)


def signed(value: int | bytes) -> int:
    """The integer that a field holds, which may be negative."""
    if isinstance(value, bytes):
        raise ValueError("a field holds bytes instead of a number")
    return value - (1 << 64) if value >> 63 else value


def content(value: int | bytes) -> bytes:
    """The bytes that a field holds."""
    if isinstance(value, int):
        raise ValueError("a field holds a number instead of bytes")
    return value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(data):
        byte = data[place]
        place, value, shift = place + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, place
    raise ValueError("the message ends too soon")


def _encoded(value: int) -> bytes:
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
