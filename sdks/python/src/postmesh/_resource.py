"""What the generated families of operations are made of."""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx

from ._retries import Retries, Tries


@dataclass(frozen=True)
class Connection:
    account_id: UUID
    retries: Retries
    http: Any  # httpx.Client or httpx.AsyncClient


class _Body(dict[str, Any]):
    """A body that was given as a dict goes to the server as it is, which refuses what it does not know by name."""

    def to_dict(self) -> dict[str, Any]:
        return dict(self)


class _Base:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._account_id = connection.account_id

    def _begin(self, operation: Any, arguments: dict[str, Any]) -> tuple[dict[str, Any], Tries]:
        """A key that was given stays: the same one makes a repeat of the whole process safe."""
        if isinstance(arguments.get("body"), dict):
            arguments["body"] = _Body(arguments["body"])
        is_keyed = "idempotency_key" in arguments
        if is_keyed and not arguments["idempotency_key"]:
            arguments["idempotency_key"] = str(uuid.uuid4())
        request = operation._get_kwargs(**arguments)
        may_repeat = is_keyed or request["method"] != "post"
        return request, Tries(self._connection.retries, may_repeat=may_repeat)


class Resource(_Base):
    def _call(self, operation: Any, **arguments: Any) -> Any:
        request, tries = self._begin(operation, arguments)
        while True:
            result: httpx.Response | httpx.TransportError
            try:
                result = self._connection.http.request(**request, timeout=tries.timeout)
            except httpx.TransportError as error:
                result = error
            pause = tries.pause_after(result)
            if pause is None:
                return operation._parse_response(result)
            time.sleep(pause)


class AsyncResource(_Base):
    async def _call(self, operation: Any, **arguments: Any) -> Any:
        request, tries = self._begin(operation, arguments)
        while True:
            result: httpx.Response | httpx.TransportError
            try:
                result = await self._connection.http.request(**request, timeout=tries.timeout)
            except httpx.TransportError as error:
                result = error
            pause = tries.pause_after(result)
            if pause is None:
                return operation._parse_response(result)
            await asyncio.sleep(pause)
