from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...types import UNSET, Unset
from . import ping


class PingOperations(Resource):
    def ping(
        self,
    ) -> Message:
        """Check a key

        Responds to any valid key. Any status but 200 says why the key would not do.

        Any valid key may call it; no scope is needed.

        """
        return cast(
            "Message",
            self._call(
                ping,
            ),
        )


class AsyncPingOperations(AsyncResource):
    async def ping(
        self,
    ) -> Message:
        """Check a key

        Responds to any valid key. Any status but 200 says why the key would not do.

        Any valid key may call it; no scope is needed.

        """
        return cast(
            "Message",
            await self._call(
                ping,
            ),
        )
