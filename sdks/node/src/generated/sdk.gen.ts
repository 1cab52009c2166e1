// Generated from docs/openapi.json: do not edit.

import { client } from './client.gen.ts';
import type { Client, ClientMeta, Options as Options2, RequestResult, TDataShape } from './client/index.ts';
import type { AccountGetData, AccountGetErrors, AccountGetResponses, AccountUpdateData, AccountUpdateErrors, AccountUpdateResponses, ApiKeysCreateData, ApiKeysCreateErrors, ApiKeysCreateResponses, ApiKeysDeleteData, ApiKeysDeleteErrors, ApiKeysDeleteResponses, ApiKeysGetData, ApiKeysGetErrors, ApiKeysGetResponses, ApiKeysListData, ApiKeysListErrors, ApiKeysListResponses, ApiKeysUpdateData, ApiKeysUpdateErrors, ApiKeysUpdateResponses, CampaignsCreateData, CampaignsCreateErrors, CampaignsCreateResponses, CampaignsDeleteData, CampaignsDeleteErrors, CampaignsDeleteResponses, CampaignsDuplicateData, CampaignsDuplicateErrors, CampaignsDuplicateResponses, CampaignsGetData, CampaignsGetErrors, CampaignsGetResponses, CampaignsListData, CampaignsListErrors, CampaignsListResponses, CampaignsPreviewData, CampaignsPreviewErrors, CampaignsPreviewResponses, CampaignsRecipientsData, CampaignsRecipientsErrors, CampaignsRecipientsResponses, CampaignsSendData, CampaignsSendErrors, CampaignsSendResponses, CampaignsStatsData, CampaignsStatsErrors, CampaignsStatsResponses, CampaignsTestSendData, CampaignsTestSendErrors, CampaignsTestSendResponses, CampaignsUnscheduleData, CampaignsUnscheduleErrors, CampaignsUnscheduleResponses, CampaignsUpdateData, CampaignsUpdateErrors, CampaignsUpdateResponses, CampaignTemplatesCreateData, CampaignTemplatesCreateErrors, CampaignTemplatesCreateResponses, CampaignTemplatesDeleteData, CampaignTemplatesDeleteErrors, CampaignTemplatesDeleteResponses, CampaignTemplatesGetData, CampaignTemplatesGetErrors, CampaignTemplatesGetResponses, CampaignTemplatesListData, CampaignTemplatesListErrors, CampaignTemplatesListResponses, CampaignTemplatesUpdateData, CampaignTemplatesUpdateErrors, CampaignTemplatesUpdateResponses, ContactsBatchData, ContactsBatchErrors, ContactsBatchResponses, ContactsCreateData, ContactsCreateErrors, ContactsCreateResponses, ContactsDeleteData, ContactsDeleteErrors, ContactsDeleteResponses, ContactsGetData, ContactsGetErrors, ContactsGetResponses, ContactsListData, ContactsListErrors, ContactsListListsData, ContactsListListsErrors, ContactsListListsResponses, ContactsListResponses, ContactsUpdateData, ContactsUpdateErrors, ContactsUpdateResponses, DomainsCheckDnsData, DomainsCheckDnsErrors, DomainsCheckDnsResponses, DomainsCreateData, DomainsCreateErrors, DomainsCreateResponses, DomainsDeleteData, DomainsDeleteErrors, DomainsDeleteResponses, DomainsGetData, DomainsGetErrors, DomainsGetResponses, DomainsListData, DomainsListErrors, DomainsListResponses, DomainsUpdateData, DomainsUpdateErrors, DomainsUpdateResponses, ListsAddContactsData, ListsAddContactsErrors, ListsAddContactsResponses, ListsCreateData, ListsCreateErrors, ListsCreateResponses, ListsDeleteData, ListsDeleteErrors, ListsDeleteResponses, ListsGetData, ListsGetErrors, ListsGetResponses, ListsListContactsData, ListsListContactsErrors, ListsListContactsResponses, ListsListData, ListsListErrors, ListsListResponses, ListsPutContactData, ListsPutContactErrors, ListsPutContactResponses, ListsRemoveContactData, ListsRemoveContactErrors, ListsRemoveContactResponses, ListsUpdateData, ListsUpdateErrors, ListsUpdateResponses, MembersAddData, MembersAddErrors, MembersAddResponses, MembersListData, MembersListErrors, MembersListResponses, MembersRemoveData, MembersRemoveErrors, MembersRemoveResponses, MembersUpdateData, MembersUpdateErrors, MembersUpdateResponses, MessagesCancelData, MessagesCancelErrors, MessagesCancelResponses, MessagesGetData, MessagesGetErrors, MessagesGetResponses, MessagesListData, MessagesListErrors, MessagesListResponses, MessagesSendConversationData, MessagesSendConversationErrors, MessagesSendConversationResponses, MessagesSendData, MessagesSendErrors, MessagesSendResponses, MessagesSendTemplateData, MessagesSendTemplateErrors, MessagesSendTemplateResponses, PingData, PingErrors, PingResponses, RoutesCreateData, RoutesCreateErrors, RoutesCreateResponses, RoutesDeleteData, RoutesDeleteErrors, RoutesDeleteResponses, RoutesGetData, RoutesGetErrors, RoutesGetResponses, RoutesListData, RoutesListErrors, RoutesListResponses, RoutesRecoverData, RoutesRecoverErrors, RoutesRecoverResponses, RoutesTriggerData, RoutesTriggerErrors, RoutesTriggerResponses, RoutesUpdateData, RoutesUpdateErrors, RoutesUpdateResponses, SmtpCredentialsCreateData, SmtpCredentialsCreateErrors, SmtpCredentialsCreateResponses, SmtpCredentialsDeleteData, SmtpCredentialsDeleteErrors, SmtpCredentialsDeleteResponses, SmtpCredentialsGetData, SmtpCredentialsGetErrors, SmtpCredentialsGetResponses, SmtpCredentialsListData, SmtpCredentialsListErrors, SmtpCredentialsListResponses, StatisticsBounceData, StatisticsBounceErrors, StatisticsBounceResponses, StatisticsDeliverabilityData, StatisticsDeliverabilityErrors, StatisticsDeliverabilityResponses, StatisticsDeliveryTimeData, StatisticsDeliveryTimeErrors, StatisticsDeliveryTimeResponses, SubAccountApiKeysCreateData, SubAccountApiKeysCreateErrors, SubAccountApiKeysCreateResponses, SubAccountApiKeysDeleteData, SubAccountApiKeysDeleteErrors, SubAccountApiKeysDeleteResponses, SubAccountApiKeysGetData, SubAccountApiKeysGetErrors, SubAccountApiKeysGetResponses, SubAccountApiKeysListData, SubAccountApiKeysListErrors, SubAccountApiKeysListResponses, SubAccountApiKeysUpdateData, SubAccountApiKeysUpdateErrors, SubAccountApiKeysUpdateResponses, SubAccountsCreateData, SubAccountsCreateErrors, SubAccountsCreateResponses, SubAccountsDeleteData, SubAccountsDeleteErrors, SubAccountsDeleteResponses, SubAccountsGetData, SubAccountsGetErrors, SubAccountsGetResponses, SubAccountsListData, SubAccountsListErrors, SubAccountsListResponses, SubAccountsSuspendData, SubAccountsSuspendErrors, SubAccountsSuspendResponses, SubAccountsUnpauseDomainData, SubAccountsUnpauseDomainErrors, SubAccountsUnpauseDomainResponses, SubAccountsUnsuspendData, SubAccountsUnsuspendErrors, SubAccountsUnsuspendResponses, SubAccountsUpdateData, SubAccountsUpdateErrors, SubAccountsUpdateResponses, SubAccountsUsageData, SubAccountsUsageErrors, SubAccountsUsageResponses, SuppressionsCreateData, SuppressionsCreateErrors, SuppressionsCreateResponses, SuppressionsDeleteData, SuppressionsDeleteErrors, SuppressionsDeleteResponses, SuppressionsListData, SuppressionsListErrors, SuppressionsListResponses, SuppressionsWipeData, SuppressionsWipeErrors, SuppressionsWipeResponses, TemplatesCreateData, TemplatesCreateErrors, TemplatesCreateResponses, TemplatesDeleteData, TemplatesDeleteErrors, TemplatesDeleteResponses, TemplatesDiscardDraftData, TemplatesDiscardDraftErrors, TemplatesDiscardDraftResponses, TemplatesGetData, TemplatesGetDraftData, TemplatesGetDraftErrors, TemplatesGetDraftResponses, TemplatesGetErrors, TemplatesGetResponses, TemplatesGetVersionData, TemplatesGetVersionErrors, TemplatesGetVersionResponses, TemplatesListData, TemplatesListErrors, TemplatesListResponses, TemplatesListVersionsData, TemplatesListVersionsErrors, TemplatesListVersionsResponses, TemplatesPreviewData, TemplatesPreviewErrors, TemplatesPreviewResponses, TemplatesPublishData, TemplatesPublishErrors, TemplatesPublishResponses, TemplatesRestoreVersionData, TemplatesRestoreVersionErrors, TemplatesRestoreVersionResponses, TemplatesUpdateData, TemplatesUpdateErrors, TemplatesUpdateResponses, WebhooksCreateData, WebhooksCreateErrors, WebhooksCreateResponses, WebhooksDeleteData, WebhooksDeleteErrors, WebhooksDeleteResponses, WebhooksGetData, WebhooksGetErrors, WebhooksGetResponses, WebhooksListData, WebhooksListErrors, WebhooksListResponses, WebhooksRecoverData, WebhooksRecoverErrors, WebhooksRecoverResponses, WebhooksTriggerData, WebhooksTriggerErrors, WebhooksTriggerResponses, WebhooksUpdateData, WebhooksUpdateErrors, WebhooksUpdateResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

class HeyApiClient {
    protected client: Client;
    
    constructor(args?: {
        client?: Client;
    }) {
        this.client = args?.client ?? client;
    }
}

class HeyApiRegistry<T> {
    private readonly defaultKey = 'default';
    
    private readonly instances: Map<string, T> = new Map();
    
    get(key?: string): T {
        const instance = this.instances.get(key ?? this.defaultKey);
        if (!instance) {
            throw new Error(`No SDK client found. Create one with "new Operations()" to fix this error.`);
        }
        return instance;
    }
    
    set(value: T, key?: string): void {
        this.instances.set(key ?? this.defaultKey, value);
    }
}

export class Account extends HeyApiClient {
    /**
     * Get the account
     *
     * Needs the scope `accounts:read`.
     */
    public get<ThrowOnError extends boolean = true>(options?: Options<AccountGetData, ThrowOnError>): RequestResult<AccountGetResponses, AccountGetErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<AccountGetResponses, AccountGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}',
            ...options
        });
    }
    
    /**
     * Change the account
     *
     * Omitted and null fields keep their value; `{}` changes nothing. Defaults for tracking, recipient shields and retention apply to messages that are accepted afterwards.
     *
     * Needs the scope `accounts:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<AccountUpdateData, ThrowOnError>): RequestResult<AccountUpdateResponses, AccountUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<AccountUpdateResponses, AccountUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Members extends HeyApiClient {
    /**
     * List members
     *
     * All members with the owner, oldest first, without pages.
     *
     * Needs the scope `accounts:members:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<MembersListData, ThrowOnError>): RequestResult<MembersListResponses, MembersListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<MembersListResponses, MembersListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/members',
            ...options
        });
    }
    
    /**
     * Add a member
     *
     * An address without a user gets one, and an invitation by mail; an existing user gets a notice. The membership is in effect at once. `name` is used for new users only.
     *
     * Needs the scope `accounts:members:add`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public add<ThrowOnError extends boolean = true>(options: Options<MembersAddData, ThrowOnError>): RequestResult<MembersAddResponses, MembersAddErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<MembersAddResponses, MembersAddErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/members',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Remove a member
     *
     * A removed member can be added again.
     *
     * Needs the scope `accounts:members:remove`.
     */
    public remove<ThrowOnError extends boolean = true>(options: Options<MembersRemoveData, ThrowOnError>): RequestResult<MembersRemoveResponses, MembersRemoveErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<MembersRemoveResponses, MembersRemoveErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/members/{user_id}',
            ...options
        });
    }
    
    /**
     * Give a member another role
     *
     * Needs the scope `accounts:members:update`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<MembersUpdateData, ThrowOnError>): RequestResult<MembersUpdateResponses, MembersUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<MembersUpdateResponses, MembersUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/members/{user_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class ApiKeys extends HeyApiClient {
    /**
     * List API keys
     *
     * Every key of the account, without secrets.
     *
     * Needs the scope `api-keys:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<ApiKeysListData, ThrowOnError>): RequestResult<ApiKeysListResponses, ApiKeysListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ApiKeysListResponses, ApiKeysListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/api-keys',
            ...options
        });
    }
    
    /**
     * Create an API key
     *
     * The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it again for five minutes. The owner and Administrators get a mail about a key with an IP allow list.
     *
     * Needs the scope `api-keys:write`.
     *
     * Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and holds the key for up to 5 minutes: a corrected request takes a new one.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<ApiKeysCreateData, ThrowOnError>): RequestResult<ApiKeysCreateResponses, ApiKeysCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ApiKeysCreateResponses, ApiKeysCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/api-keys',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete an API key
     *
     * The next request with the key is refused. A key may delete itself. Messages that it has sent are still delivered.
     *
     * Needs the scope `api-keys:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<ApiKeysDeleteData, ThrowOnError>): RequestResult<ApiKeysDeleteResponses, ApiKeysDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<ApiKeysDeleteResponses, ApiKeysDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/api-keys/{key_id}',
            ...options
        });
    }
    
    /**
     * Get an API key
     *
     * Needs the scope `api-keys:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<ApiKeysGetData, ThrowOnError>): RequestResult<ApiKeysGetResponses, ApiKeysGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ApiKeysGetResponses, ApiKeysGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/api-keys/{key_id}',
            ...options
        });
    }
    
    /**
     * Change an API key
     *
     * Omitted and null fields keep their value. `scopes` and `ip_allow_list` replace the stored ones; an empty `ip_allow_list` lifts the restriction. The change applies to the next request with the key.
     *
     * Needs the scope `api-keys:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<ApiKeysUpdateData, ThrowOnError>): RequestResult<ApiKeysUpdateResponses, ApiKeysUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<ApiKeysUpdateResponses, ApiKeysUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/api-keys/{key_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class SubAccounts extends HeyApiClient {
    /**
     * List sub-accounts
     *
     * Needs the scope `sub-accounts:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<SubAccountsListData, ThrowOnError>): RequestResult<SubAccountsListResponses, SubAccountsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SubAccountsListResponses, SubAccountsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts',
            ...options
        });
    }
    
    /**
     * Create a sub-account
     *
     * A full account with its own domains, keys, webhooks and limits. Its keys use its id as `account_id` in all other operations.
     *
     * Needs the scope `sub-accounts:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<SubAccountsCreateData, ThrowOnError>): RequestResult<SubAccountsCreateResponses, SubAccountsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SubAccountsCreateResponses, SubAccountsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get the usage of the current month
     *
     * The usage of each account and its share of the pooled cost: in proportion, rounded to cents so that the shares sum to the total. The total includes the usage of deleted sub-accounts.
     *
     * Needs the scope `sub-accounts:usage`.
     */
    public usage<ThrowOnError extends boolean = true>(options?: Options<SubAccountsUsageData, ThrowOnError>): RequestResult<SubAccountsUsageResponses, SubAccountsUsageErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SubAccountsUsageResponses, SubAccountsUsageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/usage',
            ...options
        });
    }
    
    /**
     * Delete a sub-account
     *
     * Its keys are refused at once, its unsent messages are canceled, its webhooks stop, and other accounts can add its domains. Your usage of the month includes its usage.
     *
     * Needs the scope `sub-accounts:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<SubAccountsDeleteData, ThrowOnError>): RequestResult<SubAccountsDeleteResponses, SubAccountsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<SubAccountsDeleteResponses, SubAccountsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}',
            ...options
        });
    }
    
    /**
     * Get a sub-account
     *
     * Needs the scope `sub-accounts:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<SubAccountsGetData, ThrowOnError>): RequestResult<SubAccountsGetResponses, SubAccountsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<SubAccountsGetResponses, SubAccountsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}',
            ...options
        });
    }
    
    /**
     * Change a sub-account
     *
     * A new `monthly_credit` applies to the next request, also when it is below the present usage.
     *
     * Needs the scope `sub-accounts:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<SubAccountsUpdateData, ThrowOnError>): RequestResult<SubAccountsUpdateResponses, SubAccountsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<SubAccountsUpdateResponses, SubAccountsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Suspend a sub-account
     *
     * It may not send, and its unsent messages wait; all other operations work. A sub-account that is already suspended stays as it is, with its first reason.
     *
     * Needs the scope `sub-accounts:suspend`.
     */
    public suspend<ThrowOnError extends boolean = true>(options: Options<SubAccountsSuspendData, ThrowOnError>): RequestResult<SubAccountsSuspendResponses, SubAccountsSuspendErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SubAccountsSuspendResponses, SubAccountsSuspendErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/suspend',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * End the suspension of a sub-account
     *
     * A sub-account that is not suspended is returned unchanged.
     *
     * Needs the scope `sub-accounts:suspend`.
     */
    public unsuspend<ThrowOnError extends boolean = true>(options: Options<SubAccountsUnsuspendData, ThrowOnError>): RequestResult<SubAccountsUnsuspendResponses, SubAccountsUnsuspendErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SubAccountsUnsuspendResponses, SubAccountsUnsuspendErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/unsuspend',
            ...options
        });
    }
    
    /**
     * Let a sub-account send from a paused domain again
     *
     * A domain that is not paused is answered as it is. Sends are taken again at once.
     *
     * Needs the scope `sub-accounts:suspend`.
     */
    public unpauseDomain<ThrowOnError extends boolean = true>(options: Options<SubAccountsUnpauseDomainData, ThrowOnError>): RequestResult<SubAccountsUnpauseDomainResponses, SubAccountsUnpauseDomainErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SubAccountsUnpauseDomainResponses, SubAccountsUnpauseDomainErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/domains/{domain}/unpause',
            ...options
        });
    }
}

export class SubAccountApiKeys extends HeyApiClient {
    /**
     * List the API keys of a sub-account
     *
     * Needs the scope `sub-account-api-keys:read`.
     */
    public list<ThrowOnError extends boolean = true>(options: Options<SubAccountApiKeysListData, ThrowOnError>): RequestResult<SubAccountApiKeysListResponses, SubAccountApiKeysListErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<SubAccountApiKeysListResponses, SubAccountApiKeysListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys',
            ...options
        });
    }
    
    /**
     * Create an API key for a sub-account
     *
     * The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it again for five minutes. Domain scopes name domains of the sub-account.
     *
     * Needs the scope `sub-account-api-keys:write`.
     *
     * Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and holds the key for up to 5 minutes: a corrected request takes a new one.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<SubAccountApiKeysCreateData, ThrowOnError>): RequestResult<SubAccountApiKeysCreateResponses, SubAccountApiKeysCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SubAccountApiKeysCreateResponses, SubAccountApiKeysCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete an API key of a sub-account
     *
     * The next request with the key is refused. Messages that it has sent are still delivered.
     *
     * Needs the scope `sub-account-api-keys:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<SubAccountApiKeysDeleteData, ThrowOnError>): RequestResult<SubAccountApiKeysDeleteResponses, SubAccountApiKeysDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<SubAccountApiKeysDeleteResponses, SubAccountApiKeysDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}',
            ...options
        });
    }
    
    /**
     * Get an API key of a sub-account
     *
     * Needs the scope `sub-account-api-keys:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<SubAccountApiKeysGetData, ThrowOnError>): RequestResult<SubAccountApiKeysGetResponses, SubAccountApiKeysGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<SubAccountApiKeysGetResponses, SubAccountApiKeysGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}',
            ...options
        });
    }
    
    /**
     * Change an API key of a sub-account
     *
     * `scopes` and `ip_allow_list` replace the stored ones. The change applies to the next request with the key.
     *
     * Needs the scope `sub-account-api-keys:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<SubAccountApiKeysUpdateData, ThrowOnError>): RequestResult<SubAccountApiKeysUpdateResponses, SubAccountApiKeysUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<SubAccountApiKeysUpdateResponses, SubAccountApiKeysUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class SmtpCredentials extends HeyApiClient {
    /**
     * List SMTP credentials
     *
     * Without passwords. A key with domain scopes sees the credentials with one of its domains, and no global ones.
     *
     * Needs the scope `smtp-credentials:read:all`, or `smtp-credentials:read:{domain}` for the domain that it is about.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<SmtpCredentialsListData, ThrowOnError>): RequestResult<SmtpCredentialsListResponses, SmtpCredentialsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SmtpCredentialsListResponses, SmtpCredentialsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/smtp-credentials',
            ...options
        });
    }
    
    /**
     * Create an SMTP credential
     *
     * The only response with `password`. A global credential needs the scope for all domains; a scoped one the scope for each domain that it lists, 1000 at most. It can log in at once. An account can have 1000 of them. There is no change: make another one and delete the first.
     *
     * Needs the scope `smtp-credentials:write:all`, or `smtp-credentials:write:{domain}` for the domain that it is about.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<SmtpCredentialsCreateData, ThrowOnError>): RequestResult<SmtpCredentialsCreateResponses, SmtpCredentialsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SmtpCredentialsCreateResponses, SmtpCredentialsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/smtp-credentials',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete an SMTP credential
     *
     * The next login is refused, and an open session ends with its next message.
     *
     * Needs the scope `smtp-credentials:delete:all`, or `smtp-credentials:delete:{domain}` for the domain that it is about.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<SmtpCredentialsDeleteData, ThrowOnError>): RequestResult<SmtpCredentialsDeleteResponses, SmtpCredentialsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<SmtpCredentialsDeleteResponses, SmtpCredentialsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/smtp-credentials/{smtp_credential_id}',
            ...options
        });
    }
    
    /**
     * Get an SMTP credential
     *
     * Needs the scope `smtp-credentials:read:all`, or `smtp-credentials:read:{domain}` for the domain that it is about.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<SmtpCredentialsGetData, ThrowOnError>): RequestResult<SmtpCredentialsGetResponses, SmtpCredentialsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<SmtpCredentialsGetResponses, SmtpCredentialsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/smtp-credentials/{smtp_credential_id}',
            ...options
        });
    }
}

export class Domains extends HeyApiClient {
    /**
     * List domains
     *
     * Needs the scope `domains:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<DomainsListData, ThrowOnError>): RequestResult<DomainsListResponses, DomainsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DomainsListResponses, DomainsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/domains',
            ...options
        });
    }
    
    /**
     * Add a domain
     *
     * The answer lists the DNS records to publish; until they are seen, `dns_valid` is false and nothing can be sent from the domain.
     *
     * Needs the scope `domains:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<DomainsCreateData, ThrowOnError>): RequestResult<DomainsCreateResponses, DomainsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<DomainsCreateResponses, DomainsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/domains',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a domain
     *
     * Scopes of keys that are granted for the domain go with it.
     *
     * Needs the scope `domains:delete:all`, or `domains:delete:{domain}` for the domain that it is about.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<DomainsDeleteData, ThrowOnError>): RequestResult<DomainsDeleteResponses, DomainsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<DomainsDeleteResponses, DomainsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/domains/{domain}',
            ...options
        });
    }
    
    /**
     * Get a domain
     *
     * Needs the scope `domains:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<DomainsGetData, ThrowOnError>): RequestResult<DomainsGetResponses, DomainsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<DomainsGetResponses, DomainsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/domains/{domain}',
            ...options
        });
    }
    
    /**
     * Update a domain
     *
     * A field that is left out, or null, keeps its value; an empty subdomain or selector is the default again. Nothing is stored when a field is refused. A new `dkim_private_key` signs once its record is seen; until then the old one does.
     *
     * Needs the scope `domains:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<DomainsUpdateData, ThrowOnError>): RequestResult<DomainsUpdateResponses, DomainsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<DomainsUpdateResponses, DomainsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/domains/{domain}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Check the DNS records of a domain
     *
     * Looks the records up now and answers the domain as it is after that. A check less than a minute ago is answered again without a look-up.
     *
     * Needs the scope `domains:write`.
     */
    public checkDns<ThrowOnError extends boolean = true>(options: Options<DomainsCheckDnsData, ThrowOnError>): RequestResult<DomainsCheckDnsResponses, DomainsCheckDnsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<DomainsCheckDnsResponses, DomainsCheckDnsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/domains/{domain}/check-dns',
            ...options
        });
    }
}

export class Messages extends HeyApiClient {
    /**
     * List messages
     *
     * Newest first. Filters are joined by AND. A key with scopes for domains sees messages from those alone.
     *
     * Messages of campaigns are not listed: there may be a million. `GET …/campaigns/{campaign_id}/recipients?email=<address>` has the
     * `message_id` of each, by which `GET …/messages/{message_id}` reads it.
     *
     * Needs the scope `messages:read:all`, or `messages:read:{domain}` for the domain that it is about.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<MessagesListData, ThrowOnError>): RequestResult<MessagesListResponses, MessagesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<MessagesListResponses, MessagesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/messages',
            ...options
        });
    }
    
    /**
     * Send a message to each of up to 100 recipients
     *
     * A separate message per recipient, without the addresses of the others. Subject, header values and bodies are templates
     * (MiniJinja, a dialect of Jinja2) for each recipient for whom there are `substitutions`, in the request or of their own;
     * without any, braces leave as they are written. Values are not escaped: escape those that go into `html_content`.
     * The response comes after everything is stored.
     *
     * A recipient who cannot be sent to has an `error`, and the message goes to the others: the account shields itself
     * from the domain, or the message cannot be rendered or gets too large with these values. The domain that the scope is compared with is the one of `from`.
     *
     * Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public send<ThrowOnError extends boolean = true>(options: Options<MessagesSendData, ThrowOnError>): RequestResult<MessagesSendResponses, MessagesSendErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<MessagesSendResponses, MessagesSendErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/messages',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Send a message whose recipients see each other
     *
     * One message with all of `to` and `cc` in its headers; `bcc` stays unseen. At most 50 recipients in all; an
     * address that is named twice gets it once. Each recipient has a message of their own, and all of them share one
     * Message-ID. Nothing is substituted. The response comes after everything is stored.
     *
     * A recipient who cannot be sent to, because the account shields itself from the domain for one, has an `error`; the
     * message goes to the others. The domain that the scope is compared with is the one of `from`.
     *
     * Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public sendConversation<ThrowOnError extends boolean = true>(options: Options<MessagesSendConversationData, ThrowOnError>): RequestResult<MessagesSendConversationResponses, MessagesSendConversationErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<MessagesSendConversationResponses, MessagesSendConversationErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/messages/conversation',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Send a template to each of up to 100 recipients
     *
     * The published copy of a transactional template: HTML with its preview text, and text. A separate message per
     * recipient, without the addresses of the others. Each recipient needs a value for each required variable, see `variables` of the
     * template; `email` and `unsubscribe_url` are supplied. In the HTML values are escaped unless the design writes
     * `{{ name|safe }}`. When the design uses `unsubscribe_url`, each recipient gets a link, in `List-Unsubscribe` too.
     *
     * A recipient who cannot be sent to has an `error`, and the message goes to the others: the account shields itself
     * from the domain, or the message cannot be rendered or gets too large with these values. The domain that the scope is compared with is the one of `from`, or of the template's default sender; no
     * `templates` scope is needed.
     *
     * Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public sendTemplate<ThrowOnError extends boolean = true>(options: Options<MessagesSendTemplateData, ThrowOnError>): RequestResult<MessagesSendTemplateResponses, MessagesSendTemplateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<MessagesSendTemplateResponses, MessagesSendTemplateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/messages/template',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get a message
     *
     * By its id or by its Message-ID, with or without angle brackets. Of a Message-ID that several recipients share,
     * the message of the first one is answered, or with `recipient` that of this one. Messages of campaigns are found, too. `content` and `content_parsed` are there as long as the content is kept.
     *
     * Needs the scope `messages:read:all`, or `messages:read:{domain}` for the domain that it is about.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<MessagesGetData, ThrowOnError>): RequestResult<MessagesGetResponses, MessagesGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<MessagesGetResponses, MessagesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/messages/{message_id}',
            ...options
        });
    }
    
    /**
     * Cancel a message
     *
     * Before its first attempt: it is never tried then, and no webhook is called. Of a Message-ID that several messages
     * share, each that still can be is canceled.
     *
     * Needs the scope `messages:cancel:all`, or `messages:cancel:{domain}` for the domain that it is about.
     */
    public cancel<ThrowOnError extends boolean = true>(options: Options<MessagesCancelData, ThrowOnError>): RequestResult<MessagesCancelResponses, MessagesCancelErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<MessagesCancelResponses, MessagesCancelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/messages/{message_id}/cancel',
            ...options
        });
    }
}

export class Templates extends HeyApiClient {
    /**
     * List templates
     *
     * As they are published, newest first, without their bodies.
     *
     * Needs the scope `templates:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<TemplatesListData, ThrowOnError>): RequestResult<TemplatesListResponses, TemplatesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<TemplatesListResponses, TemplatesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates',
            ...options
        });
    }
    
    /**
     * Create a template
     *
     * Everything but the name goes into a draft, which `publish` makes the published copy. MJML is compiled
     * strictly, HTML is kept as it is, and the text is made from the HTML unless one is given. Images and stylesheets need a full
     * `https://` URL or one that begins with a `{{ variable }}`.
     *
     * Needs the scope `templates:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<TemplatesCreateData, ThrowOnError>): RequestResult<TemplatesCreateResponses, TemplatesCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<TemplatesCreateResponses, TemplatesCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a template
     *
     * Sends of it are refused from now on. Messages keep its id.
     *
     * Needs the scope `templates:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<TemplatesDeleteData, ThrowOnError>): RequestResult<TemplatesDeleteResponses, TemplatesDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<TemplatesDeleteResponses, TemplatesDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}',
            ...options
        });
    }
    
    /**
     * Get a template
     *
     * Needs the scope `templates:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<TemplatesGetData, ThrowOnError>): RequestResult<TemplatesGetResponses, TemplatesGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<TemplatesGetResponses, TemplatesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}',
            ...options
        });
    }
    
    /**
     * Change a template
     *
     * Fields that are left out stay as they are in the draft, or else in the published copy. The name changes
     * at once, everything else in the draft. A design that is sent back as it is stored is not compiled again; a new one has its
     * text made again, unless one is given with it.
     *
     * Needs the scope `templates:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<TemplatesUpdateData, ThrowOnError>): RequestResult<TemplatesUpdateResponses, TemplatesUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<TemplatesUpdateResponses, TemplatesUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Discard the draft of a template
     *
     * Without a draft nothing happens.
     *
     * Needs the scope `templates:write`.
     */
    public discardDraft<ThrowOnError extends boolean = true>(options: Options<TemplatesDiscardDraftData, ThrowOnError>): RequestResult<TemplatesDiscardDraftResponses, TemplatesDiscardDraftErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<TemplatesDiscardDraftResponses, TemplatesDiscardDraftErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/draft',
            ...options
        });
    }
    
    /**
     * Get the draft of a template
     *
     * Needs the scope `templates:read`.
     */
    public getDraft<ThrowOnError extends boolean = true>(options: Options<TemplatesGetDraftData, ThrowOnError>): RequestResult<TemplatesGetDraftResponses, TemplatesGetDraftErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<TemplatesGetDraftResponses, TemplatesGetDraftErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/draft',
            ...options
        });
    }
    
    /**
     * Publish the draft of a template
     *
     * The whole draft becomes the published copy and a new version. Without a draft nothing happens. A body
     * is ignored.
     *
     * Needs the scope `templates:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public publish<ThrowOnError extends boolean = true>(options: Options<TemplatesPublishData, ThrowOnError>): RequestResult<TemplatesPublishResponses, TemplatesPublishErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<TemplatesPublishResponses, TemplatesPublishErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/publish',
            ...options
        });
    }
    
    /**
     * Preview a template
     *
     * Renders the message to one recipient, of the draft where there is one; nothing is sent or stored. A part that cannot
     * be rendered is left out and named in `issues`, as are required variables without a value. Links to unsubscribe are those of a test.
     *
     * Needs the scope `templates:read`.
     */
    public preview<ThrowOnError extends boolean = true>(options: Options<TemplatesPreviewData, ThrowOnError>): RequestResult<TemplatesPreviewResponses, TemplatesPreviewErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<TemplatesPreviewResponses, TemplatesPreviewErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/preview',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List the versions of a template
     *
     * The 50 newest are kept. Newest first.
     *
     * Needs the scope `templates:read`.
     */
    public listVersions<ThrowOnError extends boolean = true>(options: Options<TemplatesListVersionsData, ThrowOnError>): RequestResult<TemplatesListVersionsResponses, TemplatesListVersionsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<TemplatesListVersionsResponses, TemplatesListVersionsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/versions',
            ...options
        });
    }
    
    /**
     * Get a version of a template
     *
     * Needs the scope `templates:read`.
     */
    public getVersion<ThrowOnError extends boolean = true>(options: Options<TemplatesGetVersionData, ThrowOnError>): RequestResult<TemplatesGetVersionResponses, TemplatesGetVersionErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<TemplatesGetVersionResponses, TemplatesGetVersionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}',
            ...options
        });
    }
    
    /**
     * Restore a version of a template
     *
     * It replaces the draft; with `publish` it is published, too.
     *
     * Needs the scope `templates:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public restoreVersion<ThrowOnError extends boolean = true>(options: Options<TemplatesRestoreVersionData, ThrowOnError>): RequestResult<TemplatesRestoreVersionResponses, TemplatesRestoreVersionErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<TemplatesRestoreVersionResponses, TemplatesRestoreVersionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}/restore',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Suppressions extends HeyApiClient {
    /**
     * Lift the suppressions of an address
     *
     * The suppressions of one domain, or without `domain` of all of them; protected ones, too.
     *
     * Needs the scope `suppressions:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<SuppressionsDeleteData, ThrowOnError>): RequestResult<SuppressionsDeleteResponses, SuppressionsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<SuppressionsDeleteResponses, SuppressionsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/suppressions',
            ...options
        });
    }
    
    /**
     * List suppressions
     *
     * Those that still block, newest first. Expired ones are left out.
     *
     * Needs the scope `suppressions:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<SuppressionsListData, ThrowOnError>): RequestResult<SuppressionsListResponses, SuppressionsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SuppressionsListResponses, SuppressionsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/suppressions',
            ...options
        });
    }
    
    /**
     * Suppress an address
     *
     * For one domain, or without `domain` for each that the account has now: one suppression per domain, and those
     * created are answered. Messages from these domains to the address then end as `Suppressed`, those that wait included.
     *
     * Needs the scope `suppressions:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<SuppressionsCreateData, ThrowOnError>): RequestResult<SuppressionsCreateResponses, SuppressionsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SuppressionsCreateResponses, SuppressionsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/suppressions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Lift all suppressions
     *
     * The suppressions of one domain, or without `domain` of all of them, except protected ones; the message says how many these are.
     * The response comes when all are gone: for a million, allow some minutes. Those that are created meanwhile stay.
     *
     * Needs the scope `suppressions:wipe`.
     */
    public wipe<ThrowOnError extends boolean = true>(options?: Options<SuppressionsWipeData, ThrowOnError>): RequestResult<SuppressionsWipeResponses, SuppressionsWipeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).delete<SuppressionsWipeResponses, SuppressionsWipeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/suppressions/all',
            ...options
        });
    }
}

export class Statistics extends HeyApiClient {
    /**
     * Count what became of messages
     *
     * Messages that were sent through the API and over SMTP, without those of campaigns and of the sandbox. What happens
     * counts at the time when it happens, each message once per column; only what lies inside `[from_time, to_time)` is counted.
     * Figures appear within a minute and are kept for 13 months.
     *
     * Opens and clicks are counted where they are tracked. While the account does not (`track_opens`, `track_clicks`), a header
     * `Postmesh-Notice` says so.
     *
     * Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for the domain that it is about.
     *
     * Statistics have a rate limit of their own: one request per second.
     */
    public deliverability<ThrowOnError extends boolean = true>(options?: Options<StatisticsDeliverabilityData, ThrowOnError>): RequestResult<StatisticsDeliverabilityResponses, StatisticsDeliverabilityErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<StatisticsDeliverabilityResponses, StatisticsDeliverabilityErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/statistics/transactional/deliverability',
            ...options
        });
    }
    
    /**
     * Count bounces by kind
     *
     * Messages that were sent through the API and over SMTP, without those of campaigns and of the sandbox. What happens
     * counts at the time when it happens, each message once per column; only what lies inside `[from_time, to_time)` is counted.
     * Figures appear within a minute and are kept for 13 months.
     *
     * Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for the domain that it is about.
     *
     * Statistics have a rate limit of their own: one request per second.
     */
    public bounce<ThrowOnError extends boolean = true>(options?: Options<StatisticsBounceData, ThrowOnError>): RequestResult<StatisticsBounceResponses, StatisticsBounceErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<StatisticsBounceResponses, StatisticsBounceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/statistics/transactional/bounce',
            ...options
        });
    }
    
    /**
     * Measure how long deliveries took
     *
     * Messages that were sent through the API and over SMTP, without those of campaigns and of the sandbox. What happens
     * counts at the time when it happens, each message once per column; only what lies inside `[from_time, to_time)` is counted.
     * Figures appear within a minute and are kept for 13 months.
     *
     * All buckets together list up to 100,000 recipient domains, those with most messages in each; averages and counts are of all.
     *
     * Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for the domain that it is about.
     *
     * Statistics have a rate limit of their own: one request per second.
     */
    public deliveryTime<ThrowOnError extends boolean = true>(options?: Options<StatisticsDeliveryTimeData, ThrowOnError>): RequestResult<StatisticsDeliveryTimeResponses, StatisticsDeliveryTimeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<StatisticsDeliveryTimeResponses, StatisticsDeliveryTimeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/statistics/transactional/delivery-time',
            ...options
        });
    }
}

export class Webhooks extends HeyApiClient {
    /**
     * List webhooks
     *
     * A key with domain scopes sees the webhooks that cover one of its domains.
     *
     * Needs the scope `webhooks:read:all`, or `webhooks:read:{domain}` for the domain that it is about.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<WebhooksListData, ThrowOnError>): RequestResult<WebhooksListResponses, WebhooksListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WebhooksListResponses, WebhooksListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks',
            ...options
        });
    }
    
    /**
     * Create a webhook
     *
     * A global webhook needs the scope for all domains; a scoped one the scope for each domain that it lists.
     *
     * Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<WebhooksCreateData, ThrowOnError>): RequestResult<WebhooksCreateResponses, WebhooksCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksCreateResponses, WebhooksCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a webhook
     *
     * Pending calls are dropped.
     *
     * Needs the scope `webhooks:delete:all`, or `webhooks:delete:{domain}` for the domain that it is about.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<WebhooksDeleteData, ThrowOnError>): RequestResult<WebhooksDeleteResponses, WebhooksDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<WebhooksDeleteResponses, WebhooksDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks/{webhook_id}',
            ...options
        });
    }
    
    /**
     * Get a webhook
     *
     * Needs the scope `webhooks:read:all`, or `webhooks:read:{domain}` for the domain that it is about.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<WebhooksGetData, ThrowOnError>): RequestResult<WebhooksGetResponses, WebhooksGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WebhooksGetResponses, WebhooksGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks/{webhook_id}',
            ...options
        });
    }
    
    /**
     * Change a webhook
     *
     * Omitted and null fields keep their value. A list of domains replaces the stored one. Enabling a webhook again resets its consecutive errors.
     *
     * Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<WebhooksUpdateData, ThrowOnError>): RequestResult<WebhooksUpdateResponses, WebhooksUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<WebhooksUpdateResponses, WebhooksUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks/{webhook_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Try a webhook
     *
     * Posts one sample event of each of these types to the URL, also of types that the webhook does not subscribe to. The calls are signed and counted like others.
     *
     * Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.
     */
    public trigger<ThrowOnError extends boolean = true>(options: Options<WebhooksTriggerData, ThrowOnError>): RequestResult<WebhooksTriggerResponses, WebhooksTriggerErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksTriggerResponses, WebhooksTriggerErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks/{webhook_id}/trigger',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Recover the missed calls of a webhook
     *
     * Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without tries left, calls that ended because the webhook was disabled, and events from the time while it was disabled. Successful calls are not repeated. Runs in the background.
     *
     * Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.
     */
    public recover<ThrowOnError extends boolean = true>(options: Options<WebhooksRecoverData, ThrowOnError>): RequestResult<WebhooksRecoverResponses, WebhooksRecoverErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksRecoverResponses, WebhooksRecoverErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/webhooks/{webhook_id}/recover',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Routes extends HeyApiClient {
    /**
     * List routes
     *
     * A key with domain scopes has to name one of its domains.
     *
     * Needs the scope `routes:read:all`, or `routes:read:{domain}` for the domain that it is about.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<RoutesListData, ThrowOnError>): RequestResult<RoutesListResponses, RoutesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<RoutesListResponses, RoutesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes',
            ...options
        });
    }
    
    /**
     * Create a route
     *
     * Inbound mail whose recipient matches is posted to the URL. A route for every address of the account needs the scope for all domains; other routes need the scope for their domain.
     *
     * Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<RoutesCreateData, ThrowOnError>): RequestResult<RoutesCreateResponses, RoutesCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<RoutesCreateResponses, RoutesCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a route
     *
     * Pending calls are dropped.
     *
     * Needs the scope `routes:delete:all`, or `routes:delete:{domain}` for the domain that it is about.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<RoutesDeleteData, ThrowOnError>): RequestResult<RoutesDeleteResponses, RoutesDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<RoutesDeleteResponses, RoutesDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes/{route_id}',
            ...options
        });
    }
    
    /**
     * Get a route
     *
     * Needs the scope `routes:read:all`, or `routes:read:{domain}` for the domain that it is about.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<RoutesGetData, ThrowOnError>): RequestResult<RoutesGetResponses, RoutesGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<RoutesGetResponses, RoutesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes/{route_id}',
            ...options
        });
    }
    
    /**
     * Change a route
     *
     * Omitted and null fields keep their value. An empty recipient matches every address of the account. Enabling a route again resets its consecutive errors.
     *
     * Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<RoutesUpdateData, ThrowOnError>): RequestResult<RoutesUpdateResponses, RoutesUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<RoutesUpdateResponses, RoutesUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes/{route_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Try a route
     *
     * Posts a sample message to the URL. The call is signed and counted like others.
     *
     * Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.
     */
    public trigger<ThrowOnError extends boolean = true>(options: Options<RoutesTriggerData, ThrowOnError>): RequestResult<RoutesTriggerResponses, RoutesTriggerErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<RoutesTriggerResponses, RoutesTriggerErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes/{route_id}/trigger',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Recover the missed calls of a route
     *
     * Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without tries left, and calls that ended because the route was disabled. Successful calls are not repeated. Runs in the background.
     *
     * Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.
     */
    public recover<ThrowOnError extends boolean = true>(options: Options<RoutesRecoverData, ThrowOnError>): RequestResult<RoutesRecoverResponses, RoutesRecoverErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<RoutesRecoverResponses, RoutesRecoverErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/routes/{route_id}/recover',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Contacts extends HeyApiClient {
    /**
     * List contacts
     *
     * Needs the scope `contacts:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<ContactsListData, ThrowOnError>): RequestResult<ContactsListResponses, ContactsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ContactsListResponses, ContactsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts',
            ...options
        });
    }
    
    /**
     * Create a contact
     *
     * The contact is on no list. Suppressions of its address stay as they are.
     *
     * Needs the scope `contacts:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<ContactsCreateData, ThrowOnError>): RequestResult<ContactsCreateResponses, ContactsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ContactsCreateResponses, ContactsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a contact
     *
     * Deletes the contact with its memberships, its unsubscribe history and its records in campaigns. Suppressions of its address stay. A path value in UUID form is an id, any other value an address, percent-encoded once.
     *
     * Needs the scope `contacts:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<ContactsDeleteData, ThrowOnError>): RequestResult<ContactsDeleteResponses, ContactsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<ContactsDeleteResponses, ContactsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts/{id_or_email}',
            ...options
        });
    }
    
    /**
     * Get a contact
     *
     * A path value in UUID form is an id, any other value an address, percent-encoded once.
     *
     * Needs the scope `contacts:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<ContactsGetData, ThrowOnError>): RequestResult<ContactsGetResponses, ContactsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ContactsGetResponses, ContactsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts/{id_or_email}',
            ...options
        });
    }
    
    /**
     * Change a contact
     *
     * Omitted and null fields keep their value. Attributes are merged; null removes one. A path value in UUID form is an id, any other value an address, percent-encoded once.
     *
     * Needs the scope `contacts:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<ContactsUpdateData, ThrowOnError>): RequestResult<ContactsUpdateResponses, ContactsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<ContactsUpdateResponses, ContactsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts/{id_or_email}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Create or update up to 1,000 contacts
     *
     * New addresses are created, existing ones updated. An invalid entry fails alone; entries with the same address all fail. All effects are one transaction.
     *
     * Needs the scope `contacts:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public batch<ThrowOnError extends boolean = true>(options: Options<ContactsBatchData, ThrowOnError>): RequestResult<ContactsBatchResponses, ContactsBatchErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ContactsBatchResponses, ContactsBatchErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts/batch',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List the lists of a contact
     *
     * The newest membership first.
     *
     * Needs the scope `lists:read`.
     */
    public listLists<ThrowOnError extends boolean = true>(options: Options<ContactsListListsData, ThrowOnError>): RequestResult<ContactsListListsResponses, ContactsListListsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ContactsListListsResponses, ContactsListListsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/contacts/{id_or_email}/lists',
            ...options
        });
    }
}

export class Lists extends HeyApiClient {
    /**
     * List contact lists
     *
     * Needs the scope `lists:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<ListsListData, ThrowOnError>): RequestResult<ListsListResponses, ListsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ListsListResponses, ListsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists',
            ...options
        });
    }
    
    /**
     * Create a contact list
     *
     * Names are not unique: a repeated request without a key creates another list.
     *
     * Needs the scope `lists:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<ListsCreateData, ThrowOnError>): RequestResult<ListsCreateResponses, ListsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ListsCreateResponses, ListsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a contact list
     *
     * The list is deleted; unsubscribes and complaints of its members are kept.
     *
     * Needs the scope `lists:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<ListsDeleteData, ThrowOnError>): RequestResult<ListsDeleteResponses, ListsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<ListsDeleteResponses, ListsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}',
            ...options
        });
    }
    
    /**
     * Get a contact list
     *
     * Needs the scope `lists:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<ListsGetData, ThrowOnError>): RequestResult<ListsGetResponses, ListsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ListsGetResponses, ListsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}',
            ...options
        });
    }
    
    /**
     * Update a contact list
     *
     * Omitted and null fields keep their value. `tags` replaces all tags.
     *
     * Needs the scope `lists:write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<ListsUpdateData, ThrowOnError>): RequestResult<ListsUpdateResponses, ListsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<ListsUpdateResponses, ListsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List the contacts of a list
     *
     * The newest membership first.
     *
     * Needs the scope `lists:read`.
     */
    public listContacts<ThrowOnError extends boolean = true>(options: Options<ListsListContactsData, ThrowOnError>): RequestResult<ListsListContactsResponses, ListsListContactsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ListsListContactsResponses, ListsListContactsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}/contacts',
            ...options
        });
    }
    
    /**
     * Remove a contact from a list
     *
     * Removes the record of an unsubscribe from this list, too.
     *
     * Needs the scope `lists:write`.
     */
    public removeContact<ThrowOnError extends boolean = true>(options: Options<ListsRemoveContactData, ThrowOnError>): RequestResult<ListsRemoveContactResponses, ListsRemoveContactErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<ListsRemoveContactResponses, ListsRemoveContactErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}',
            ...options
        });
    }
    
    /**
     * Put a contact on a list
     *
     * Creates the membership, or changes its status if one is given. It never resubscribes automatically: without a status an existing membership does not change.
     *
     * Needs the scope `lists:write`.
     */
    public putContact<ThrowOnError extends boolean = true>(options: Options<ListsPutContactData, ThrowOnError>): RequestResult<ListsPutContactResponses, ListsPutContactErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<ListsPutContactResponses, ListsPutContactErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Add contacts to a list
     *
     * Adds existing contacts; an existing membership does not change. An invalid entry fails alone. All effects are one transaction.
     *
     * Needs the scope `lists:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public addContacts<ThrowOnError extends boolean = true>(options: Options<ListsAddContactsData, ThrowOnError>): RequestResult<ListsAddContactsResponses, ListsAddContactsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ListsAddContactsResponses, ListsAddContactsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/lists/{list_id}/contacts/batch',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Campaigns extends HeyApiClient {
    /**
     * List campaigns
     *
     * Newest first, without lists, content and issues.
     *
     * Needs the scope `campaigns:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<CampaignsListData, ThrowOnError>): RequestResult<CampaignsListResponses, CampaignsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<CampaignsListResponses, CampaignsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns',
            ...options
        });
    }
    
    /**
     * Create a campaign
     *
     * Creates a draft. All fields except the name can be set later; `issues` lists the fields that are missing before it can be sent.
     *
     * Needs the scope `campaigns:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<CampaignsCreateData, ThrowOnError>): RequestResult<CampaignsCreateResponses, CampaignsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignsCreateResponses, CampaignsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a campaign
     *
     * Deletes a draft and its design finally. Lists and templates stay.
     *
     * Needs the scope `campaigns:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<CampaignsDeleteData, ThrowOnError>): RequestResult<CampaignsDeleteResponses, CampaignsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<CampaignsDeleteResponses, CampaignsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}',
            ...options
        });
    }
    
    /**
     * Get a campaign
     *
     * Needs the scope `campaigns:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<CampaignsGetData, ThrowOnError>): RequestResult<CampaignsGetResponses, CampaignsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<CampaignsGetResponses, CampaignsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}',
            ...options
        });
    }
    
    /**
     * Change a campaign
     *
     * Changes the given fields of a draft. Changes of the same campaign wait for each other. A hand-written text stays with a new design; `content.text: null` derives it from the HTML again.
     *
     * Needs the scope `campaigns:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<CampaignsUpdateData, ThrowOnError>): RequestResult<CampaignsUpdateResponses, CampaignsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<CampaignsUpdateResponses, CampaignsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Duplicate a campaign
     *
     * Copies a campaign in any status to a draft: design, subject, preheader, sender, reply-to, and its existing lists. The default name is `Copy of …`.
     *
     * Needs the scope `campaigns:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public duplicate<ThrowOnError extends boolean = true>(options: Options<CampaignsDuplicateData, ThrowOnError>): RequestResult<CampaignsDuplicateResponses, CampaignsDuplicateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignsDuplicateResponses, CampaignsDuplicateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/duplicate',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Send a campaign
     *
     * A draft without issues is checked and then sent, at once or at its time. It can no longer be changed.
     *
     * Needs the scope `campaigns:send`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public send<ThrowOnError extends boolean = true>(options: Options<CampaignsSendData, ThrowOnError>): RequestResult<CampaignsSendResponses, CampaignsSendErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignsSendResponses, CampaignsSendErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/send',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Unschedule a campaign
     *
     * A campaign that has not begun to send becomes a draft again.
     *
     * Needs the scope `campaigns:send`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public unschedule<ThrowOnError extends boolean = true>(options: Options<CampaignsUnscheduleData, ThrowOnError>): RequestResult<CampaignsUnscheduleResponses, CampaignsUnscheduleErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignsUnscheduleResponses, CampaignsUnscheduleErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/unschedule',
            ...options
        });
    }
    
    /**
     * Send a test of a campaign
     *
     * Sends the present campaign to up to five addresses, with `[Test] ` before the subject, without tracking, and not counted in its results. At most 20 test messages per campaign and hour.
     *
     * Needs the scope `campaigns:send`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public testSend<ThrowOnError extends boolean = true>(options: Options<CampaignsTestSendData, ThrowOnError>): RequestResult<CampaignsTestSendResponses, CampaignsTestSendErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignsTestSendResponses, CampaignsTestSendErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/test-send',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Preview a campaign
     *
     * Renders the message to one contact, or with the given values, in any status; nothing is sent or stored. A part that cannot be rendered is omitted and named in `issues`, with all other issues of a draft. Unsubscribe links are samples.
     *
     * Needs the scope `campaigns:read`.
     */
    public preview<ThrowOnError extends boolean = true>(options: Options<CampaignsPreviewData, ThrowOnError>): RequestResult<CampaignsPreviewResponses, CampaignsPreviewErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignsPreviewResponses, CampaignsPreviewErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/preview',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get the statistics of a campaign
     *
     * All counters are zero before sending, and may lag by some seconds. Opens and clicks stay 0 while `track_opens` and `track_clicks` are false: the account does not track them (`PUT …/accounts/{account_id}` turns it on).
     *
     * Needs the scope `campaigns:read`.
     */
    public stats<ThrowOnError extends boolean = true>(options: Options<CampaignsStatsData, ThrowOnError>): RequestResult<CampaignsStatsResponses, CampaignsStatsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<CampaignsStatsResponses, CampaignsStatsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/stats',
            ...options
        });
    }
    
    /**
     * List the recipients of a campaign
     *
     * In the order of sending; empty before the campaign is sent. Deleted contacts are not listed. `GET …/messages/{message_id}` shows the message of a recipient with its attempts.
     *
     * Needs the scope `campaigns:read`.
     */
    public recipients<ThrowOnError extends boolean = true>(options: Options<CampaignsRecipientsData, ThrowOnError>): RequestResult<CampaignsRecipientsResponses, CampaignsRecipientsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<CampaignsRecipientsResponses, CampaignsRecipientsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/recipients',
            ...options
        });
    }
}

export class CampaignTemplates extends HeyApiClient {
    /**
     * List campaign templates
     *
     * Newest first, without their designs.
     *
     * Needs the scope `templates:read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<CampaignTemplatesListData, ThrowOnError>): RequestResult<CampaignTemplatesListResponses, CampaignTemplatesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<CampaignTemplatesListResponses, CampaignTemplatesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaign-templates',
            ...options
        });
    }
    
    /**
     * Create a campaign template
     *
     * A design for campaigns to copy: MJML or HTML, with its text, which is derived from the HTML unless it is given. MJML is compiled strictly, HTML is stored unchanged. Images and stylesheets need a full `https://` URL or one that is a
     * whole `{{ variable }}`. The content must be renderable.
     *
     * Needs the scope `templates:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<CampaignTemplatesCreateData, ThrowOnError>): RequestResult<CampaignTemplatesCreateResponses, CampaignTemplatesCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CampaignTemplatesCreateResponses, CampaignTemplatesCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaign-templates',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a campaign template
     *
     * The deletion is final. Campaigns made from the template have their own copies.
     *
     * Needs the scope `templates:delete`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<CampaignTemplatesDeleteData, ThrowOnError>): RequestResult<CampaignTemplatesDeleteResponses, CampaignTemplatesDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<CampaignTemplatesDeleteResponses, CampaignTemplatesDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaign-templates/{template_id}',
            ...options
        });
    }
    
    /**
     * Get a campaign template
     *
     * Needs the scope `templates:read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<CampaignTemplatesGetData, ThrowOnError>): RequestResult<CampaignTemplatesGetResponses, CampaignTemplatesGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<CampaignTemplatesGetResponses, CampaignTemplatesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaign-templates/{template_id}',
            ...options
        });
    }
    
    /**
     * Change a campaign template
     *
     * Omitted fields keep their value; campaigns made from the template do not change. A hand-written text stays with a new design
     * unless `content.text` is given; `null` derives it from the HTML. MJML is compiled strictly, HTML is stored unchanged. Images and stylesheets need a full `https://` URL or one that is a
     * whole `{{ variable }}`. The content must be renderable.
     *
     * Needs the scope `templates:write`.
     *
     * Takes an `Idempotency-Key`; the response is stored for 24 hours.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<CampaignTemplatesUpdateData, ThrowOnError>): RequestResult<CampaignTemplatesUpdateResponses, CampaignTemplatesUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<CampaignTemplatesUpdateResponses, CampaignTemplatesUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/accounts/{account_id}/campaign-templates/{template_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Operations extends HeyApiClient {
    public static readonly __registry: HeyApiRegistry<Operations> = new HeyApiRegistry<Operations>();
    
    constructor(args?: {
        client?: Client;
        key?: string;
    }) {
        super(args);
        Operations.__registry.set(this, args?.key);
    }
    
    /**
     * Check a key
     *
     * Responds to any valid key. Any status but 200 says why the key would not do.
     *
     * Any valid key may call it; no scope is needed.
     */
    public ping<ThrowOnError extends boolean = true>(options?: Options<PingData, ThrowOnError>): RequestResult<PingResponses, PingErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<PingResponses, PingErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v2/ping',
            ...options
        });
    }
    
    private _account?: Account;
    get account(): Account {
        return this._account ??= new Account({ client: this.client });
    }
    
    private _members?: Members;
    get members(): Members {
        return this._members ??= new Members({ client: this.client });
    }
    
    private _apiKeys?: ApiKeys;
    get apiKeys(): ApiKeys {
        return this._apiKeys ??= new ApiKeys({ client: this.client });
    }
    
    private _subAccounts?: SubAccounts;
    get subAccounts(): SubAccounts {
        return this._subAccounts ??= new SubAccounts({ client: this.client });
    }
    
    private _subAccountApiKeys?: SubAccountApiKeys;
    get subAccountApiKeys(): SubAccountApiKeys {
        return this._subAccountApiKeys ??= new SubAccountApiKeys({ client: this.client });
    }
    
    private _smtpCredentials?: SmtpCredentials;
    get smtpCredentials(): SmtpCredentials {
        return this._smtpCredentials ??= new SmtpCredentials({ client: this.client });
    }
    
    private _domains?: Domains;
    get domains(): Domains {
        return this._domains ??= new Domains({ client: this.client });
    }
    
    private _messages?: Messages;
    get messages(): Messages {
        return this._messages ??= new Messages({ client: this.client });
    }
    
    private _templates?: Templates;
    get templates(): Templates {
        return this._templates ??= new Templates({ client: this.client });
    }
    
    private _suppressions?: Suppressions;
    get suppressions(): Suppressions {
        return this._suppressions ??= new Suppressions({ client: this.client });
    }
    
    private _statistics?: Statistics;
    get statistics(): Statistics {
        return this._statistics ??= new Statistics({ client: this.client });
    }
    
    private _webhooks?: Webhooks;
    get webhooks(): Webhooks {
        return this._webhooks ??= new Webhooks({ client: this.client });
    }
    
    private _routes?: Routes;
    get routes(): Routes {
        return this._routes ??= new Routes({ client: this.client });
    }
    
    private _contacts?: Contacts;
    get contacts(): Contacts {
        return this._contacts ??= new Contacts({ client: this.client });
    }
    
    private _lists?: Lists;
    get lists(): Lists {
        return this._lists ??= new Lists({ client: this.client });
    }
    
    private _campaigns?: Campaigns;
    get campaigns(): Campaigns {
        return this._campaigns ??= new Campaigns({ client: this.client });
    }
    
    private _campaignTemplates?: CampaignTemplates;
    get campaignTemplates(): CampaignTemplates {
        return this._campaignTemplates ??= new CampaignTemplates({ client: this.client });
    }
}
