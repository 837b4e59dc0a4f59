"""How fastjson 2 writes a double: close to Double.toString, but not always in the fewest digits.

It scales the number so that the gap to the next double has three digits before the point, and then drops
three digits where that surely stays within half a gap, else two. The estimate is so careful that some numbers
come out longer than they need be: 705.363 is written as 705.3630000000001. (From 2**63 to 2**64 it takes yet
another way, which is not followed here: some of those numbers have one digit more in Java.)
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final, NamedTuple

_LARGEST_LONG: Final = 2.0**63
_SMALLEST: Final = 2.0**-1074
_SMALLEST_NORMAL: Final = 2.0**-1022
_SMALLEST_EXPONENT: Final = -1074


class _Gap(NamedTuple):
    """The distance between neighbouring doubles, as a decimal."""

    scale: int  # the power of ten that gives it three digits before the point
    three_digits: int
    four_digits: int


def double_text(value: float) -> str:
    """A finite double; always with a decimal point, `E` notation outside 1e-3 .. 1e7."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    digits, exponent = _digits(abs(value)) if value else ("0", 0)
    if not -3 <= exponent < 7:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    return f"{sign}{whole}.{digits[exponent + 1 :] or '0'}"


def _digits(value: float) -> tuple[str, int]:
    """Significant digits without zeros at the end, and the decimal exponent of the first."""
    if value < _LARGEST_LONG and value.is_integer():
        whole = str(int(value))
        return whole.rstrip("0"), len(whole) - 1
    if value == _SMALLEST:
        return "49", -324  # as Double.toString has it
    if (shortest := repr(value)).startswith("1e"):  # the double nearest to a power of ten
        return "1", int(shortest[2:])
    fraction, exponent = math.frexp(value)
    gap = _gap(max(exponent - 53, _SMALLEST_EXPONENT))
    scaled = _scale(value, gap.scale)
    kept, rest = divmod(scaled, 1000)
    round_up = 2 * (10001 - 10 * rest) <= gap.four_digits
    is_power_of_two = fraction == 0.5 and value >= _SMALLEST_NORMAL  # the gap below it is half as wide
    if round_up or (rest + 1) * (4 if is_power_of_two else 2) <= gap.three_digits:
        text = str(kept + round_up)
    elif is_power_of_two:
        text = str((scaled + 5) // 10)
    else:
        text = str((scaled + 50) // 100)
    return text.rstrip("0"), len(str(scaled)) - 1 - gap.scale


@cache
def _gap(exponent: int) -> _Gap:
    """The gap of 2**exponent."""
    digits = str(2**exponent if exponent >= 0 else 5**-exponent)
    decimal_exponent = len(digits) - 1 + min(exponent, 0)
    leading = int(digits[:4].ljust(4, "0"))
    return _Gap(2 - decimal_exponent, leading // 10, leading)


def _scale(value: float, scale: int) -> int:
    """value * 10**scale, rounded down."""
    numerator, denominator = value.as_integer_ratio()
    if scale >= 0:
        return numerator * int(10**scale) // denominator
    return numerator // (denominator * int(10**-scale))
