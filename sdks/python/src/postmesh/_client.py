from __future__ import annotations

import os
from typing import Any, Self
from uuid import UUID

import httpx

from ._errors import PostmeshError
from ._generated.api.account import AccountOperations, AsyncAccountOperations
from ._generated.api.api_keys import ApiKeysOperations, AsyncApiKeysOperations
from ._generated.api.campaign_templates import AsyncCampaignTemplatesOperations, CampaignTemplatesOperations
from ._generated.api.campaigns import AsyncCampaignsOperations, CampaignsOperations
from ._generated.api.contacts import AsyncContactsOperations, ContactsOperations
from ._generated.api.domains import AsyncDomainsOperations, DomainsOperations
from ._generated.api.lists import AsyncListsOperations, ListsOperations
from ._generated.api.members import AsyncMembersOperations, MembersOperations
from ._generated.api.messages import AsyncMessagesOperations, MessagesOperations
from ._generated.api.ping import AsyncPingOperations, PingOperations
from ._generated.api.routes import AsyncRoutesOperations, RoutesOperations
from ._generated.api.smtp_credentials import AsyncSmtpCredentialsOperations, SmtpCredentialsOperations
from ._generated.api.statistics import AsyncStatisticsOperations, StatisticsOperations
from ._generated.api.sub_account_api_keys import AsyncSubAccountApiKeysOperations, SubAccountApiKeysOperations
from ._generated.api.sub_accounts import AsyncSubAccountsOperations, SubAccountsOperations
from ._generated.api.suppressions import AsyncSuppressionsOperations, SuppressionsOperations
from ._generated.api.templates import AsyncTemplatesOperations, TemplatesOperations
from ._generated.api.webhooks import AsyncWebhooksOperations, WebhooksOperations
from ._resource import Connection
from ._retries import Retries
from ._version import __version__


def _wanted(name: str, given: str | UUID | None) -> str:
    variable = f"POSTMESH_{name.upper()}"
    value = given or os.environ.get(variable)
    if not value:
        raise PostmeshError(f"{name} is missing: give it, or set {variable}")
    return str(value)


def _http_options(base_url: str | None, api_key: str | None) -> dict[str, Any]:
    return {
        "base_url": _wanted("base_url", base_url).rstrip("/"),
        "headers": {
            "authorization": f"Bearer {_wanted('api_key', api_key)}",
            "user-agent": f"postmesh-python/{__version__}",
        },
    }


class Postmesh:
    """The operations of the API, by family: `postmesh.messages.send(body=…)`. Blocks; errors are raised.

    `base_url` is `https://mail.example.com`, without `/v2`; `account_id` is the account that the key belongs to. Each is the
    environment's `POSTMESH_BASE_URL`, `POSTMESH_API_KEY` and `POSTMESH_ACCOUNT_ID` unless given. `http`: more arguments of
    `httpx.Client`, such as `proxy` or `verify`. One client may be used by many threads.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        account_id: str | UUID | None = None,
        retries: Retries | None = None,
        http: dict[str, Any] | None = None,
    ) -> None:
        account = UUID(_wanted("account_id", account_id))
        self._http = httpx.Client(**_http_options(base_url, api_key), **(http or {}))
        connection = Connection(account, retries or Retries(), self._http)
        self.ping = PingOperations(connection).ping
        self.account = AccountOperations(connection)
        self.api_keys = ApiKeysOperations(connection)
        self.campaign_templates = CampaignTemplatesOperations(connection)
        self.campaigns = CampaignsOperations(connection)
        self.contacts = ContactsOperations(connection)
        self.domains = DomainsOperations(connection)
        self.lists = ListsOperations(connection)
        self.members = MembersOperations(connection)
        self.messages = MessagesOperations(connection)
        self.routes = RoutesOperations(connection)
        self.smtp_credentials = SmtpCredentialsOperations(connection)
        self.statistics = StatisticsOperations(connection)
        self.sub_account_api_keys = SubAccountApiKeysOperations(connection)
        self.sub_accounts = SubAccountsOperations(connection)
        self.suppressions = SuppressionsOperations(connection)
        self.templates = TemplatesOperations(connection)
        self.webhooks = WebhooksOperations(connection)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncPostmesh:
    """The same for asyncio: `await postmesh.messages.send(body=…)`. `http`: more arguments of `httpx.AsyncClient`."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        account_id: str | UUID | None = None,
        retries: Retries | None = None,
        http: dict[str, Any] | None = None,
    ) -> None:
        account = UUID(_wanted("account_id", account_id))
        self._http = httpx.AsyncClient(**_http_options(base_url, api_key), **(http or {}))
        connection = Connection(account, retries or Retries(), self._http)
        self.ping = AsyncPingOperations(connection).ping
        self.account = AsyncAccountOperations(connection)
        self.api_keys = AsyncApiKeysOperations(connection)
        self.campaign_templates = AsyncCampaignTemplatesOperations(connection)
        self.campaigns = AsyncCampaignsOperations(connection)
        self.contacts = AsyncContactsOperations(connection)
        self.domains = AsyncDomainsOperations(connection)
        self.lists = AsyncListsOperations(connection)
        self.members = AsyncMembersOperations(connection)
        self.messages = AsyncMessagesOperations(connection)
        self.routes = AsyncRoutesOperations(connection)
        self.smtp_credentials = AsyncSmtpCredentialsOperations(connection)
        self.statistics = AsyncStatisticsOperations(connection)
        self.sub_account_api_keys = AsyncSubAccountApiKeysOperations(connection)
        self.sub_accounts = AsyncSubAccountsOperations(connection)
        self.suppressions = AsyncSuppressionsOperations(connection)
        self.templates = AsyncTemplatesOperations(connection)
        self.webhooks = AsyncWebhooksOperations(connection)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
