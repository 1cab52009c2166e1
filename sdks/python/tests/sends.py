"""Sends messages by the SDK as services/all-in-one/test/sdks.spec.ts asks: python sends.py <count> <workers> <tag>
Prints what the API answered: `{"ids": ["<…>"], "seconds": 1.5}`."""

import asyncio
import json
import sys
import time
from datetime import UTC, datetime, timedelta

from postmesh import AsyncPostmesh, Retries


async def main(count, workers, tag):
    first_attempt = (datetime.now(UTC) + timedelta(days=5)).isoformat()
    numbers = iter(range(count))
    ids = []

    async def work(postmesh):
        for number in numbers:
            result = await postmesh.messages.send(
                body={
                    "from": {"email": "news@shop.example.com"},
                    "recipients": [{"email": f"reader-{number}@example.net"}],
                    "subject": f"{tag} {number}",
                    "text_content": "Hello.",
                    "tags": [tag],
                    "schedule": {"first_attempt": first_attempt},
                }
            )
            ids.append(result.data[0].id)

    began = time.monotonic()
    async with AsyncPostmesh(retries=Retries(max_tries=15, max_seconds=240)) as postmesh:
        await asyncio.gather(*(work(postmesh) for _ in range(workers)))
    print(json.dumps({"ids": ids, "seconds": time.monotonic() - began}))


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
