from __future__ import annotations

import random
import time
from dataclasses import dataclass

import httpx

from ._errors import NoResponseError, error_of, retry_after_of

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_TRANSIENT = frozenset({408, 500, 502, 503, 504})


@dataclass(frozen=True)
class Retries:
    """Bounds of the tries of one request: their number, the first one included; seconds from the first try to the last
    response; seconds that one try may wait for the server."""

    max_tries: int = 6
    max_seconds: float = 120.0
    try_seconds: float = 30.0


class Tries:
    """The tries of one request. One that may be repeated (it is no POST, or has an idempotency key) is sent again after a
    lost connection, 408 and 5xx; any request after 429, which comes before anything is done. Waits are random below a bound
    that doubles, and as long as `Retry-After` at least."""

    def __init__(self, retries: Retries, *, may_repeat: bool) -> None:
        self._retries = retries
        self._may_repeat = may_repeat
        self._end = time.monotonic() + retries.max_seconds
        self._count = 0

    @property
    def timeout(self) -> float:
        return max(0.001, min(self._retries.try_seconds, self._end - time.monotonic()))

    def pause_after(self, result: httpx.Response | httpx.TransportError) -> float | None:
        """Seconds before the next try; None when `result` is a 2xx. Raises the typed error when there is no next try."""
        if isinstance(result, httpx.Response) and result.is_success:
            return None
        self._count += 1
        pause = self._pause(result) if self._count < self._retries.max_tries else None
        if pause is not None and time.monotonic() + pause < self._end:
            return pause
        if isinstance(result, httpx.Response):
            raise error_of(result)
        tries = "1 try" if self._count == 1 else f"{self._count} tries"
        raise NoResponseError(f"no response after {tries}: {result!r}") from result

    def _pause(self, result: httpx.Response | httpx.TransportError) -> float | None:
        pause = random.random() * min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (self._count - 1))
        if isinstance(result, httpx.TransportError):
            return pause if self._may_repeat else None
        if result.status_code == 429 or (self._may_repeat and result.status_code in _TRANSIENT):
            asked = retry_after_of(result)
            return asked + random.random() * _FIRST_WAIT if asked else pause
        # The first request with this key still runs. `Retry-After` is the end of its lease: it will be done long before.
        is_in_progress = result.status_code == 409 and result.headers.get("idempotent-replayed") == "false"
        return pause if is_in_progress else None
