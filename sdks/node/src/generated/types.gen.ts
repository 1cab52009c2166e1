// Generated from docs/openapi.json: do not edit.

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

export type Webhooks = CallsMessageReceptionWebhookRequest | CallsMessageDeliveredWebhookRequest | CallsMessageTransientErrorWebhookRequest | CallsMessageFailedWebhookRequest | CallsMessageBouncedWebhookRequest | CallsMessageSuppressedWebhookRequest | CallsMessageOpenedWebhookRequest | CallsMessageClickedWebhookRequest | CallsSuppressionCreatedWebhookRequest | CallsDomainDnsErrorWebhookRequest | CallsMessageRoutingWebhookRequest;

/**
 * An account with its profile and its defaults for sends.
 */
export type Account = {
    object: 'account';
    id: string;
    /**
     * null for a top-level account
     */
    parent_account_id: string | null;
    created_at: string;
    updated_at: string;
    name: string;
    /**
     * the host, e.g. `example.com`; empty when there is none
     */
    website: string;
    about: string;
    /**
     * default for sends without this field
     */
    track_opens: boolean;
    /**
     * default for sends without this field
     */
    track_clicks: boolean;
    /**
     * refuse recipients at known throw-away and toxic domains
     */
    reject_bad_recipients: boolean;
    /**
     * refuse recipients at known misspellings of provider domains
     */
    reject_mistyped_recipients: boolean;
    /**
     * days
     */
    message_metadata_retention: number;
    /**
     * days
     */
    message_data_retention: number;
    /**
     * the user who owns the account
     */
    owner_id: string;
};

export type AccountUpdateBody = {
    name?: string | null;
    /**
     * A domain, or an http(s) URL, of which the host is kept.
     */
    website?: string | null;
    about?: string | null;
    track_opens?: boolean | null;
    track_clicks?: boolean | null;
    reject_bad_recipients?: boolean | null;
    reject_mistyped_recipients?: boolean | null;
    message_metadata_retention?: number | null;
    message_data_retention?: number | null;
};

/**
 * The result of each entry, in the order of the request.
 */
export type AddedContacts = {
    object: 'list';
    added: number;
    /**
     * Contacts that were on the list before, with any status.
     */
    skipped: number;
    failed: number;
    data: Array<{
        /**
         * Position of the entry in the request, from 0.
         */
        position: number;
        email?: string;
        id?: string;
        outcome: 'added' | 'already_member' | 'not_found' | 'invalid';
        membership?: ListContact;
        reason?: string;
    }>;
};

/**
 * An API key, without its secret.
 */
export type ApiKey = {
    object: 'api_key';
    id: string;
    created_at: string;
    updated_at: string;
    /**
     * Null until the first authenticated request; then at most ten minutes late.
     */
    last_used_at: string | null;
    /**
     * The account that owns the key.
     */
    account_id: string;
    label: string;
    /**
     * Names the key to people; it cannot authenticate.
     */
    public_key: string;
    /**
     * In grant order.
     */
    scopes: Array<{
        id: string;
        created_at: string;
        updated_at: string;
        api_key_id: string;
        /**
         * As it was granted, e.g. `messages:send:{shop.test}`.
         */
        scope: string;
        /**
         * The domain of a domain scope, else null.
         */
        domain_id: string | null;
    }>;
    /**
     * CIDR blocks from which the key may be used; empty = no restriction.
     */
    ip_allow_list: Array<string>;
};

export type ApiKeyPage = {
    object: 'list';
    data: Array<ApiKey>;
    pagination: Pagination;
};

export type ApiKeysCreateBody = {
    label: string;
    scopes: Array<Scope>;
    ip_allow_list?: Array<string> | null;
};

export type ApiKeysUpdateBody = {
    label?: string | null;
    scopes?: Array<Scope> | null;
    ip_allow_list?: Array<string> | null;
};

export type BatchContactInput = {
    /**
     * Stored trimmed and in lower case; one contact per address.
     */
    email: string;
    first_name?: string | null;
    last_name?: string | null;
    /**
     * Only an `enabled` contact is in campaigns. Transactional mail ignores this field.
     */
    status?: 'enabled' | 'disabled' | 'blocked' | null;
    status_reason?: string | null;
    /**
     * From all campaigns of the account.
     */
    unsubscribed?: boolean | null;
    /**
     * Values by the keys that are defined for the account: texts, finite numbers, booleans, dates (`YYYY-MM-DD`) and timestamps (RFC 3339).
     */
    attributes?: {
        [key: string]: unknown;
    } | null;
};

/**
 * Bounces by kind, most frequent first.
 */
export type BounceBucket = {
    /**
     * Inclusive. Buckets show their natural bounds, in UTC.
     */
    from_timestamp: string;
    /**
     * Exclusive.
     */
    to_timestamp: string;
    bounces: Array<{
        /**
         * An open set: more kinds may come.
         */
        classification: string;
        count: number;
    }>;
};

export type BounceBucketList = {
    object: 'list';
    data: Array<BounceBucket>;
};

/**
 * A message to lists of contacts.
 */
export type Campaign = {
    object: 'campaign';
    id: string;
    created_at: string;
    /**
     * Last change of a stored field, including status and time of sending.
     */
    updated_at: string;
    name: string;
    subject: string | null;
    preheader: string | null;
    /**
     * null until it is set, and once its domain was deleted.
     */
    from: {
        email: string;
        name: string;
    } | null;
    reply_to: string | null;
    status: 'draft' | 'validating' | 'waiting_for_review' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed';
    status_reason: string | null;
    send_at: string | null;
    /**
     * Only while the daily limit pauses it.
     */
    send_resumes_at: string | null;
    finished_at: string | null;
    /**
     * In saved order, without deleted lists.
     */
    list_ids: Array<string>;
    /**
     * null while there is no design.
     */
    editor: 'advanced' | 'simple' | 'html' | null;
    content: TemplateContent | null;
    /**
     * Whether it can be sent; null unless a draft.
     */
    ready: boolean | null;
    /**
     * Empty when ready; null unless a draft.
     */
    issues: Array<CampaignIssue> | null;
};

/**
 * A problem that prevents a draft from being sent.
 */
export type CampaignIssue = {
    code: 'subject_missing' | 'sender_missing' | 'sender_domain_invalid' | 'sender_domain_paused' | 'lists_missing' | 'lists_empty' | 'content_missing' | 'content_unrenderable' | 'unsubscribe_link_missing';
    message: string;
};

/**
 * A campaign without lists, content and issues.
 */
export type CampaignListItem = {
    object: 'campaign';
    id: string;
    created_at: string;
    /**
     * Last change of a stored field, including status and time of sending.
     */
    updated_at: string;
    name: string;
    subject: string | null;
    preheader: string | null;
    /**
     * null until it is set, and once its domain was deleted.
     */
    from: {
        email: string;
        name: string;
    } | null;
    reply_to: string | null;
    status: 'draft' | 'validating' | 'waiting_for_review' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed';
    status_reason: string | null;
    send_at: string | null;
    /**
     * Only while the daily limit pauses it.
     */
    send_resumes_at: string | null;
    finished_at: string | null;
    /**
     * null while there is no design.
     */
    editor: 'advanced' | 'simple' | 'html' | null;
    /**
     * Whether it can be sent; null unless a draft.
     */
    ready: boolean | null;
};

export type CampaignListItemPage = {
    object: 'list';
    data: Array<CampaignListItem>;
    pagination: FullPagination;
};

/**
 * A recipient of a campaign.
 */
export type CampaignRecipient = {
    object: 'campaign_recipient';
    campaign_id: string;
    contact_id: string;
    /**
     * The address of the message.
     */
    email: string;
    /**
     * Those lists of the campaign that had the contact.
     */
    list_ids: Array<string>;
    status: 'pending' | 'queued' | 'deferred' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'skipped' | 'canceled';
    /**
     * Reason of skipped, bounced or failed. An open set: releases may add values.
     */
    status_reason: string | null;
    message_id: string | null;
    /**
     * When it was first handed over.
     */
    sent_at: string | null;
    /**
     * When it was first delivered.
     */
    delivered_at: string | null;
    /**
     * When it was first opened.
     */
    opened_at: string | null;
    /**
     * When it was first clicked.
     */
    clicked_at: string | null;
    /**
     * When it was first used to unsubscribe.
     */
    unsubscribed_at: string | null;
    /**
     * When it was first reported as spam.
     */
    complained_at: string | null;
    open_count: number;
    click_count: number;
};

export type CampaignRecipientPage = {
    object: 'list';
    data: Array<CampaignRecipient>;
    pagination: FullPagination;
};

/**
 * The recipients of a campaign by state, each in one, and what they did. `opened` and `clicked` are recipients, `opens` and `clicks` are events; fetches of bots count nowhere.
 */
export type CampaignStats = {
    object: 'campaign_stats';
    campaign_id: string;
    /**
     * All recipients, with any status.
     */
    recipients: number;
    pending: number;
    queued: number;
    deferred: number;
    delivered: number;
    bounced: number;
    failed: number;
    suppressed: number;
    skipped: number;
    canceled: number;
    opened: number;
    opens: number;
    clicked: number;
    clicks: number;
    unsubscribed: number;
    complained: number;
    /**
     * null before sending.
     */
    updated_at: string | null;
    /**
     * Whether the account tracks opens now.
     */
    track_opens: boolean;
    /**
     * Whether the account tracks clicks now.
     */
    track_clicks: boolean;
};

/**
 * A design that campaigns copy.
 */
export type CampaignTemplate = {
    object: 'campaign_template';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    /**
     * Never changes.
     */
    editor: 'advanced' | 'simple' | 'html';
    content: TemplateContent | null;
};

/**
 * A campaign template without its design.
 */
export type CampaignTemplateListItem = {
    object: 'campaign_template';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    /**
     * Never changes.
     */
    editor: 'advanced' | 'simple' | 'html';
};

export type CampaignTemplateListItemPage = {
    object: 'list';
    data: Array<CampaignTemplateListItem>;
    pagination: FullPagination;
};

export type CampaignTemplatesCreateBody = {
    name: string;
    /**
     * With `mjml` or `html`, which sets the editor.
     */
    content: {
        /**
         * At most 1 MiB.
         */
        mjml?: string | null;
        /**
         * At most 1 MiB.
         */
        html?: string | null;
        /**
         * At most 256 KiB.
         */
        text?: string | null;
        /**
         * Ignored: what is read can be sent back.
         */
        text_is_custom?: boolean | null;
    };
};

export type CampaignTemplatesUpdateBody = {
    name?: string;
    /**
     * One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.
     */
    content?: {
        /**
         * At most 1 MiB.
         */
        mjml?: string | null;
        /**
         * At most 1 MiB.
         */
        html?: string | null;
        /**
         * At most 256 KiB.
         */
        text?: string | null;
        /**
         * Ignored: what is read can be sent back.
         */
        text_is_custom?: boolean | null;
    };
};

/**
 * The result for one address of a test.
 */
export type CampaignTestResult = {
    object: 'message';
    /**
     * The Message-ID, with angle brackets; null: not sent.
     */
    id: string | null;
    recipient: {
        email: string;
        name: string;
    };
    status: 'queued' | 'error';
    /**
     * The reason why no message is sent to this address.
     */
    error?: string;
};

export type CampaignTestResultList = {
    object: 'list';
    data: Array<CampaignTestResult>;
};

export type CampaignsCreateBody = {
    name: string;
    /**
     * `null` or `""` clears it.
     */
    subject?: string | null;
    /**
     * `null` or `""` clears it.
     */
    preheader?: string | null;
    /**
     * On a domain of the account that may send. `null` clears it; the reply-to stays.
     */
    from?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * `null` or `""` clears it.
     */
    reply_to?: string | null;
    /**
     * In the order of sending. Each once.
     */
    list_ids?: Array<string> | null;
    /**
     * A campaign template, whose design is copied.
     */
    template_id?: string | null;
    /**
     * One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.
     */
    content?: {
        /**
         * At most 1 MiB.
         */
        mjml?: string | null;
        /**
         * At most 1 MiB.
         */
        html?: string | null;
        /**
         * At most 256 KiB.
         */
        text?: string | null;
        /**
         * Ignored: what is read can be sent back.
         */
        text_is_custom?: boolean | null;
    };
};

export type CampaignsDuplicateBody = {
    name?: string | null;
};

export type CampaignsPreviewBody = {
    /**
     * Id or address of the contact whose values are used.
     */
    contact?: string | null;
    /**
     * Values with precedence over those of the contact.
     */
    substitutions?: {
        [key: string]: unknown;
    } | null;
};

export type CampaignsSendBody = {
    /**
     * Time of the start; omitted or null: as soon as the checks pass.
     */
    send_at?: string | null;
};

export type CampaignsTestSendBody = {
    to: Array<string>;
    /**
     * Id or address of the contact whose values are used. Without it each address uses its own.
     */
    contact?: string | null;
};

export type CampaignsUpdateBody = {
    name?: string;
    /**
     * `null` or `""` clears it.
     */
    subject?: string | null;
    /**
     * `null` or `""` clears it.
     */
    preheader?: string | null;
    /**
     * On a domain of the account that may send. `null` clears it; the reply-to stays.
     */
    from?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * `null` or `""` clears it.
     */
    reply_to?: string | null;
    /**
     * In the order of sending. Each once.
     */
    list_ids?: Array<string>;
    /**
     * One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.
     */
    content?: {
        /**
         * At most 1 MiB.
         */
        mjml?: string | null;
        /**
         * At most 1 MiB.
         */
        html?: string | null;
        /**
         * At most 256 KiB.
         */
        text?: string | null;
        /**
         * Ignored: what is read can be sent back.
         */
        text_is_custom?: boolean | null;
    };
};

/**
 * A possible recipient of campaigns of the account.
 */
export type Contact = {
    object: 'contact';
    id: string;
    created_at: string;
    updated_at: string;
    email: string;
    first_name: string;
    last_name: string;
    status: 'enabled' | 'disabled' | 'blocked';
    status_reason: string;
    unsubscribed: boolean;
    unsubscribed_at: string | null;
    attributes: {
        [key: string]: unknown;
    };
    validation_status: 'unvalidated' | 'valid' | 'invalid' | 'risky' | 'unknown';
    last_validated_at: string | null;
};

/**
 * The results of the entries of a batch.
 */
export type ContactBatchResult = {
    object: 'list';
    created: number;
    updated: number;
    failed: number;
    data: Array<{
        /**
         * Position of the entry in the request, from 0.
         */
        position: number;
        /**
         * In its stored form. Empty when it was no text, or longer than any address.
         */
        email: string;
        outcome: 'created' | 'updated' | 'failed';
        /**
         * For an entry that did not fail.
         */
        contact?: Contact;
        /**
         * For an entry that failed.
         */
        reason?: string;
    }>;
};

/**
 * A list of contacts. Its name is never shown to recipients.
 */
export type ContactList = {
    object: 'contact_list';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    description: string;
    tags: Array<string>;
    /**
     * Confirmed members that can be mailed: the recipients of a campaign to this list.
     */
    contact_count: number;
};

/**
 * A contact on a list, with the list.
 */
export type ContactListMembership = {
    object: 'list_contact';
    list_id: string;
    contact_id: string;
    email: string;
    subscription_status: 'unconfirmed' | 'confirmed' | 'unsubscribed' | 'complained';
    subscribed_at: string | null;
    unsubscribed_at: string | null;
    created_at: string;
    updated_at: string;
    list: UncountedContactList;
};

export type ContactListMembershipPage = {
    object: 'list';
    data: Array<ContactListMembership>;
    pagination: FullPagination;
};

export type ContactListPage = {
    object: 'list';
    data: Array<ContactList>;
    pagination: FullPagination;
};

export type ContactPage = {
    object: 'list';
    data: Array<Contact>;
    pagination: FullPagination;
};

export type ContactsBatchBody = {
    /**
     * Each has the fields of a create; `email` is required.
     */
    data: Array<BatchContactInput>;
};

export type ContactsCreateBody = {
    /**
     * Stored trimmed and in lower case; one contact per address.
     */
    email: string;
    first_name?: string | null;
    last_name?: string | null;
    /**
     * Only an `enabled` contact is in campaigns. Transactional mail ignores this field.
     */
    status?: 'enabled' | 'disabled' | 'blocked' | null;
    status_reason?: string | null;
    /**
     * From all campaigns of the account.
     */
    unsubscribed?: boolean | null;
    /**
     * Values by the keys that are defined for the account: texts, finite numbers, booleans, dates (`YYYY-MM-DD`) and timestamps (RFC 3339).
     */
    attributes?: {
        [key: string]: unknown;
    } | null;
};

export type ContactsUpdateBody = {
    /**
     * Stored trimmed and in lower case; one contact per address.
     */
    email?: string | null;
    first_name?: string | null;
    last_name?: string | null;
    /**
     * Only an `enabled` contact is in campaigns. Transactional mail ignores this field.
     */
    status?: 'enabled' | 'disabled' | 'blocked' | null;
    status_reason?: string | null;
    /**
     * From all campaigns of the account.
     */
    unsubscribed?: boolean | null;
    /**
     * Values by the keys that are defined for the account: texts, finite numbers, booleans, dates (`YYYY-MM-DD`) and timestamps (RFC 3339).
     */
    attributes?: {
        [key: string]: unknown;
    } | null;
};

/**
 * A new API key with its secret.
 */
export type CreatedApiKey = {
    object: 'api_key';
    id: string;
    created_at: string;
    updated_at: string;
    /**
     * Null until the first authenticated request; then at most ten minutes late.
     */
    last_used_at: string | null;
    /**
     * The account that owns the key.
     */
    account_id: string;
    label: string;
    /**
     * Names the key to people; it cannot authenticate.
     */
    public_key: string;
    /**
     * In grant order.
     */
    scopes: Array<{
        id: string;
        created_at: string;
        updated_at: string;
        api_key_id: string;
        /**
         * As it was granted, e.g. `messages:send:{shop.test}`.
         */
        scope: string;
        /**
         * The domain of a domain scope, else null.
         */
        domain_id: string | null;
    }>;
    /**
     * CIDR blocks from which the key may be used; empty = no restriction.
     */
    ip_allow_list: Array<string>;
    /**
     * The bearer token. It is shown only here.
     */
    secret_key: string;
};

/**
 * How many messages, each once per column.
 */
export type DeliverabilityBucket = {
    /**
     * Inclusive. Buckets show their natural bounds, in UTC.
     */
    from_timestamp: string;
    /**
     * Exclusive.
     */
    to_timestamp: string;
    /**
     * Accepted messages.
     */
    reception_count: number;
    delivered_count: number;
    /**
     * Messages that were deferred at least once.
     */
    deferred_count: number;
    bounced_count: number;
    failed_count: number;
    suppressed_count: number;
    /**
     * Messages that were opened at least once.
     */
    opened_count: number;
    /**
     * Messages with at least one click.
     */
    clicked_count: number;
};

export type DeliverabilityBucketList = {
    object: 'list';
    data: Array<DeliverabilityBucket>;
};

/**
 * How long deliveries took.
 */
export type DeliveryTimeBucket = {
    /**
     * Inclusive. Buckets show their natural bounds, in UTC.
     */
    from_timestamp: string;
    /**
     * Exclusive.
     */
    to_timestamp: string;
    /**
     * Seconds from acceptance to delivery; 0 when nothing was delivered.
     */
    avg_delivery_time: number;
    delivered_count: number;
    /**
     * By recipient domain, most messages first.
     */
    delivery_times: Array<{
        recipient_domain: string;
        /**
         * Average, in seconds.
         */
        delivery_time: number;
        count: number;
    }>;
};

export type DeliveryTimeBucketList = {
    object: 'list';
    data: Array<DeliveryTimeBucket>;
};

/**
 * A DNS record to publish.
 */
export type DnsRecord = {
    /**
     * The purpose of the record, in a word or two.
     */
    label: string;
    type: 'TXT' | 'CNAME' | 'MX';
    /**
     * Full name, without a dot at the end.
     */
    host: string;
    content: string;
    /**
     * Sending needs it.
     */
    required: boolean;
    /**
     * It was seen as it shall be when the domain was last checked.
     */
    propagated: boolean;
};

/**
 * A sending domain.
 */
export type Domain = {
    object: 'domain';
    id: string;
    account_id: string;
    created_at: string;
    updated_at: string;
    domain: string;
    dns_records: Array<DnsRecord>;
    last_dns_check_at: string | null;
    /**
     * All required records were right when last looked at conclusively.
     */
    dns_valid: boolean;
    /**
     * The domain's own label; null: the default is in use.
     */
    tracking_subdomain: string | null;
    /**
     * The domain's own label; null: the default is in use.
     */
    return_path_subdomain: string | null;
    /**
     * The domain's own label; null: the default is in use.
     */
    subscription_subdomain: string | null;
    /**
     * The domain's own label; null: the default is in use.
     */
    media_subdomain: string | null;
    /**
     * null: the account's default. Managed DNS only.
     */
    dkim_rotation_interval_days: number | null;
    /**
     * The domain's own selector as it was asked for; not always the one that signs.
     */
    dkim_selector: string | null;
    /**
     * The standby DKIM record was seen in DNS.
     */
    rotation_ready: boolean;
    /**
     * The address that gets delivery reports; null: the account's default.
     */
    dsn_recipient: string | null;
    sending_type: 'transactional' | 'marketing';
    paused: boolean;
    paused_at: string | null;
    pause_reason: string | null;
};

export type DomainDnsErrorEvent = {
    type: 'domain.dns_error';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        domain: string;
        account_id: string;
        spf_valid: boolean;
        dkim_valid: boolean;
        dmarc_valid: boolean;
        dns_last_checked_at: string;
    };
};

export type DomainPage = {
    object: 'list';
    data: Array<Domain>;
    pagination: Pagination;
};

export type DomainsCreateBody = {
    /**
     * A fully qualified name, in any spelling.
     */
    domain: string;
    /**
     * PEM, RSA of 1024 bits and more. Never shown again. For partner accounts only.
     */
    dkim_private_key?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    tracking_subdomain?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    return_path_subdomain?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    subscription_subdomain?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    media_subdomain?: string | null;
    /**
     * For domains with managed DNS.
     */
    dkim_rotation_interval_days?: number | null;
    /**
     * One DNS label of 1-62 letters, digits and hyphens. For partner accounts only.
     */
    dkim_selector?: string | null;
    sending_type?: 'transactional' | 'marketing';
};

export type DomainsUpdateBody = {
    /**
     * PEM, RSA of 1024 bits and more. Never shown again. For partner accounts only.
     */
    dkim_private_key?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    tracking_subdomain?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    return_path_subdomain?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    subscription_subdomain?: string | null;
    /**
     * One DNS label of 1-63 letters, digits and hyphens; empty: the default.
     */
    media_subdomain?: string | null;
    /**
     * For domains with managed DNS.
     */
    dkim_rotation_interval_days?: number | null;
    /**
     * One DNS label of 1-62 letters, digits and hyphens. For partner accounts only.
     */
    dkim_selector?: string | null;
    sending_type?: 'transactional' | 'marketing';
    /**
     * The address that gets delivery reports of the domain's mail; empty: the account's default.
     */
    dsn_recipient?: string | null;
};

/**
 * Why the request was not done.
 */
export type Error = {
    /**
     * For people. Do not parse it.
     */
    message: string;
};

/**
 * Where this page stands in the list.
 */
export type FullPagination = {
    /**
     * Whether the list continues in the requested direction.
     */
    has_more: boolean;
    /**
     * Give it as `after` to get the next page. null on the last page.
     */
    next_cursor: string | null;
    /**
     * Give it as `before` to get the page before. null at the start of the list.
     */
    previous_cursor: string | null;
};

/**
 * What keeps it from being sent, or from being shown as it is meant.
 */
export type Issue = {
    code: string;
    message: string;
};

/**
 * A contact on a list.
 */
export type ListContact = {
    object: 'list_contact';
    list_id: string;
    contact_id: string;
    email: string;
    subscription_status: 'unconfirmed' | 'confirmed' | 'unsubscribed' | 'complained';
    subscribed_at: string | null;
    unsubscribed_at: string | null;
    created_at: string;
    updated_at: string;
};

/**
 * A contact on a list, with the whole contact if requested.
 */
export type ListMember = {
    object: 'list_contact';
    list_id: string;
    contact_id: string;
    email: string;
    subscription_status: 'unconfirmed' | 'confirmed' | 'unsubscribed' | 'complained';
    subscribed_at: string | null;
    unsubscribed_at: string | null;
    created_at: string;
    updated_at: string;
    /**
     * Only if requested.
     */
    contact?: Contact;
};

export type ListMemberPage = {
    object: 'list';
    data: Array<ListMember>;
    pagination: FullPagination;
};

export type ListedContactInput = {
    email?: string;
    id?: string;
};

export type ListsAddContactsBody = {
    /**
     * Each names one contact: `{"email": "…"}` or `{"id": "…"}`.
     */
    data: Array<ListedContactInput>;
};

export type ListsCreateBody = {
    name: string;
    /**
     * Null means `""` for a new list, and no change for an existing one.
     */
    description?: string | null;
    /**
     * Each at most 255 characters. At most 50 after empty and equal ones are dropped.
     */
    tags?: Array<string> | null;
};

export type ListsPutContactBody = {
    /**
     * Omitted or null: a new membership is confirmed, an existing one does not change.
     */
    subscription_status?: 'confirmed' | 'unconfirmed' | 'unsubscribed' | null;
};

export type ListsUpdateBody = {
    name?: string | null;
    /**
     * Null means `""` for a new list, and no change for an existing one.
     */
    description?: string | null;
    /**
     * Each at most 255 characters. At most 50 after empty and equal ones are dropped.
     */
    tags?: Array<string> | null;
};

/**
 * A person and their role in an account.
 */
export type Member = {
    created_at: string;
    updated_at: string;
    user_id: string;
    account_id: string;
    role: 'Administrator' | 'Developer' | 'Analyst' | 'Billing Manager';
};

export type MemberList = {
    object: 'list';
    data: Array<Member>;
};

export type MembersAddBody = {
    email: string;
    role: 'Administrator' | 'Developer' | 'Analyst' | 'Billing Manager';
    name?: string | null;
};

export type MembersUpdateBody = {
    role: 'Administrator' | 'Developer' | 'Analyst' | 'Billing Manager';
};

/**
 * Says in words what was done.
 */
export type Message = {
    /**
     * For people. Do not parse it.
     */
    message: string;
};

export type MessageBouncedEvent = {
    type: 'message.bounced';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_bounced';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
        delivery_attempt?: WebhookDeliveryAttempt;
    };
};

export type MessageClickedEvent = {
    type: 'message.clicked';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_clicked';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
        url: string;
        user_agent: string;
        ip: string;
    };
};

/**
 * A message, taken apart.
 */
export type MessageContent = {
    parts: Array<{
        content_type: string;
        content: string;
    }>;
    attachments: Array<{
        filename: string;
        /**
         * Base64.
         */
        content: string;
        content_type: string;
        /**
         * Without angle brackets; empty when there is none.
         */
        content_id: string;
    }>;
    headers: {
        [key: string]: Array<string>;
    };
};

export type MessageDeliveredEvent = {
    type: 'message.delivered';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_delivered';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
        delivery_attempt?: WebhookDeliveryAttempt;
    };
};

export type MessageFailedEvent = {
    type: 'message.failed';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_failed';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
    };
};

export type MessageOpenedEvent = {
    type: 'message.opened';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_opened';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
        user_agent: string;
        ip: string;
    };
};

/**
 * The message to one recipient, which is not sent.
 */
export type MessagePreview = {
    object: 'message_preview';
    subject: string;
    /**
     * With its preview text; null where there is none.
     */
    html: string | null;
    text: string | null;
    /**
     * Without those that a message gets when it is sent, such as Date.
     */
    headers: {
        [key: string]: Array<string>;
    };
    /**
     * Empty when the message could be sent so.
     */
    issues: Array<Issue>;
};

export type MessageReceptionEvent = {
    type: 'message.reception';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_reception';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
    };
};

/**
 * A message to one recipient.
 */
export type MessageRecord = {
    object: 'message';
    id: string;
    created_at: string;
    updated_at: string;
    /**
     * Start of the first attempt.
     */
    sent_at: string | null;
    /**
     * When the remote server took it.
     */
    delivered_at: string | null;
    /**
     * When its content is deleted.
     */
    retain_until: string;
    direction: 'inbound' | 'outbound';
    is_bounce_notification: boolean;
    /**
     * Empty when it did not bounce or fail.
     */
    bounce_classification: string;
    delivery_attempts: Array<{
        time: string;
        /**
         * The words of the remote server.
         */
        log: string;
        /**
         * `Delivery`, `TransientFailure`, `Bounce`, `Expiration`, `Suppression`, `Cancellation`.
         */
        status: string;
    }>;
    /**
     * The Message-ID, with angle brackets.
     */
    message_id: string;
    subject: string;
    tags: Array<string>;
    sender: string;
    recipient: string;
    status: 'Received' | 'Scheduled' | 'Delivered' | 'Opened' | 'Clicked' | 'Deferred' | 'Bounced' | 'Failed' | 'Suppressed' | 'Canceled' | 'Sandbox Delivered' | 'Sandbox Deferred' | 'Sandbox Failed' | 'Sandbox Bounced' | 'Sandbox Suppressed';
    num_attempts: number;
    open_count: number;
    click_count: number;
    reference_message_id: number | null;
    domain_id: string;
    account_id: string;
    template_id: string | null;
    /**
     * The message as it is sent, or as it came (RFC 5322). Left out when it is not kept (any more).
     */
    content?: string;
    content_parsed?: MessageContent;
};

/**
 * A message to one recipient, without its content.
 */
export type MessageSummary = {
    object: 'message';
    id: string;
    created_at: string;
    updated_at: string;
    /**
     * Start of the first attempt.
     */
    sent_at: string | null;
    /**
     * When the remote server took it.
     */
    delivered_at: string | null;
    /**
     * When its content is deleted.
     */
    retain_until: string;
    direction: 'inbound' | 'outbound';
    is_bounce_notification: boolean;
    /**
     * Empty when it did not bounce or fail.
     */
    bounce_classification: string;
    delivery_attempts: Array<{
        time: string;
        /**
         * The words of the remote server.
         */
        log: string;
        /**
         * `Delivery`, `TransientFailure`, `Bounce`, `Expiration`, `Suppression`, `Cancellation`.
         */
        status: string;
    }>;
    /**
     * The Message-ID, with angle brackets.
     */
    message_id: string;
    subject: string;
    tags: Array<string>;
    sender: string;
    recipient: string;
    status: 'Received' | 'Scheduled' | 'Delivered' | 'Opened' | 'Clicked' | 'Deferred' | 'Bounced' | 'Failed' | 'Suppressed' | 'Canceled' | 'Sandbox Delivered' | 'Sandbox Deferred' | 'Sandbox Failed' | 'Sandbox Bounced' | 'Sandbox Suppressed';
    num_attempts: number;
    open_count: number;
    click_count: number;
    reference_message_id: number | null;
    domain_id: string;
    account_id: string;
    template_id: string | null;
};

export type MessageSummaryPage = {
    object: 'list';
    data: Array<MessageSummary>;
    pagination: Pagination;
};

export type MessageSuppressedEvent = {
    type: 'message.suppressed';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_suppressed';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
    };
};

export type MessageTransientErrorEvent = {
    type: 'message.transient_error';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        event: 'on_transient_error';
        /**
         * The address; for campaigns with the name before it.
         */
        from: string;
        recipient: string;
        subject: string;
        /**
         * With angle brackets, like `id` of a send result.
         */
        message_id_header: string;
        /**
         * Id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * For opens and clicks; otherwise false.
         */
        is_bot: boolean;
        delivery_attempt?: WebhookDeliveryAttempt;
    };
};

export type MessagesSendBody = {
    from: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    };
    recipients: Array<{
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
        /**
         * Values of variables: any JSON.
         */
        substitutions?: {
            [key: string]: unknown;
        } | null;
    }>;
    subject: string;
    /**
     * Needed when there is no `html_content`.
     */
    text_content?: string | null;
    /**
     * Needed when there is no `text_content`.
     */
    html_content?: string | null;
    amp_content?: string | null;
    /**
     * Values for all recipients. A value of the same name of a recipient wins.
     */
    substitutions?: {
        [key: string]: unknown;
    } | null;
    reply_to?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    attachments?: Array<{
        data: string;
        base64?: boolean | null;
        content_type: string;
        file_name: string;
        /**
         * `inline` or `attachment`. Empty or left out: inline when there is a `content_id`. Anything else is an attachment.
         */
        content_disposition?: string | null;
        /**
         * `<…>`; the HTML refers to it as `cid:…`.
         */
        content_id?: string | null;
    }> | null;
    headers?: {
        [key: string]: string;
    } | Array<{
        name: string;
        value: string;
    }> | null;
    /**
     * At most 10 that differ; each is kept once.
     */
    tags?: Array<string> | null;
    sandbox?: boolean | null;
    sandbox_result?: 'deliver' | 'bounce' | 'defer' | 'fail' | 'suppress' | null;
    tracking?: {
        open?: boolean | null;
        click?: boolean | null;
    } | null;
    /**
     * Days for which the record and its content are kept.
     */
    retention?: {
        metadata?: number | null;
        data?: number | null;
    } | null;
    schedule?: {
        /**
         * In the future, within 7 days.
         */
        first_attempt?: string | null;
        /**
         * In the future, within 8 days.
         */
        expires?: string | null;
    } | null;
};

export type MessagesSendConversationBody = {
    from: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    };
    to: Array<{
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
        /**
         * Values of variables: any JSON.
         */
        substitutions?: {
            [key: string]: unknown;
        } | null;
    }>;
    cc?: Array<{
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
        /**
         * Values of variables: any JSON.
         */
        substitutions?: {
            [key: string]: unknown;
        } | null;
    }> | null;
    bcc?: Array<{
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
        /**
         * Values of variables: any JSON.
         */
        substitutions?: {
            [key: string]: unknown;
        } | null;
    }> | null;
    subject: string;
    /**
     * Needed when there is no `html_content`.
     */
    text_content?: string | null;
    /**
     * Needed when there is no `text_content`.
     */
    html_content?: string | null;
    amp_content?: string | null;
    reply_to?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    attachments?: Array<{
        data: string;
        base64?: boolean | null;
        content_type: string;
        file_name: string;
        /**
         * `inline` or `attachment`. Empty or left out: inline when there is a `content_id`. Anything else is an attachment.
         */
        content_disposition?: string | null;
        /**
         * `<…>`; the HTML refers to it as `cid:…`.
         */
        content_id?: string | null;
    }> | null;
    headers?: {
        [key: string]: string;
    } | Array<{
        name: string;
        value: string;
    }> | null;
    /**
     * At most 10 that differ; each is kept once.
     */
    tags?: Array<string> | null;
    sandbox?: boolean | null;
    sandbox_result?: 'deliver' | 'bounce' | 'defer' | 'fail' | 'suppress' | null;
    tracking?: {
        open?: boolean | null;
        click?: boolean | null;
    } | null;
    /**
     * Days for which the record and its content are kept.
     */
    retention?: {
        metadata?: number | null;
        data?: number | null;
    } | null;
    schedule?: {
        /**
         * In the future, within 7 days.
         */
        first_attempt?: string | null;
        /**
         * In the future, within 8 days.
         */
        expires?: string | null;
    } | null;
};

export type MessagesSendTemplateBody = {
    template_id: string;
    recipients: Array<{
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
        /**
         * Values of variables: any JSON.
         */
        substitutions?: {
            [key: string]: unknown;
        } | null;
    }>;
    /**
     * The sender of the template when left out.
     */
    from?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    reply_to?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * The subject of the template when left out or blank.
     */
    subject?: string | null;
    attachments?: Array<{
        data: string;
        base64?: boolean | null;
        content_type: string;
        file_name: string;
        /**
         * `inline` or `attachment`. Empty or left out: inline when there is a `content_id`. Anything else is an attachment.
         */
        content_disposition?: string | null;
        /**
         * `<…>`; the HTML refers to it as `cid:…`.
         */
        content_id?: string | null;
    }> | null;
    headers?: {
        [key: string]: string;
    } | Array<{
        name: string;
        value: string;
    }> | null;
    /**
     * At most 10 that differ; each is kept once.
     */
    tags?: Array<string> | null;
    sandbox?: boolean | null;
    sandbox_result?: 'deliver' | 'bounce' | 'defer' | 'fail' | 'suppress' | null;
    tracking?: {
        open?: boolean | null;
        click?: boolean | null;
    } | null;
    /**
     * Days for which the record and its content are kept.
     */
    retention?: {
        metadata?: number | null;
        data?: number | null;
    } | null;
    schedule?: {
        /**
         * In the future, within 7 days.
         */
        first_attempt?: string | null;
        /**
         * In the future, within 8 days.
         */
        expires?: string | null;
    } | null;
};

/**
 * A route, with its signing secret.
 */
export type NewRoute = {
    object: 'route';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    url: string;
    /**
     * Empty: every address of the account.
     */
    recipient: string;
    attachments: boolean;
    headers: boolean;
    group_by_message_id: boolean;
    strip_replies: boolean;
    enabled: boolean;
    success_count: number;
    error_count: number;
    errors_since_last_success: number;
    last_request_at: string | null;
    /**
     * Signs every call. Shown only in this response.
     */
    secret: string;
};

/**
 * A new login for submission with its password.
 */
export type NewSmtpCredential = {
    object: 'credential_smtp';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    /**
     * The user name that a client logs in with.
     */
    username: string;
    sandbox: boolean;
    scope: 'global' | 'scoped';
    /**
     * Empty for a global one, and for a scoped one whose domains were all deleted.
     */
    domains: Array<string>;
    /**
     * It is shown only here.
     */
    password: string;
};

/**
 * A subscription to events, with its signing secret.
 */
export type NewWebhook = {
    object: 'webhook';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    url: string;
    enabled: boolean;
    on_reception: boolean;
    on_delivered: boolean;
    on_transient_error: boolean;
    on_failed: boolean;
    on_bounced: boolean;
    on_suppressed: boolean;
    on_opened: boolean;
    on_clicked: boolean;
    on_suppression_created: boolean;
    on_dns_error: boolean;
    scope: 'global' | 'scoped';
    /**
     * Empty for a global webhook.
     */
    domains: Array<string>;
    success_count: number;
    error_count: number;
    errors_since_last_success: number;
    last_request_at: string | null;
    /**
     * Signs every call. Shown only in this response.
     */
    secret: string;
};

/**
 * Where this page stands in the list.
 */
export type Pagination = {
    /**
     * Whether items exist after the last one of this page.
     */
    has_more: boolean;
    /**
     * Give it as `after` to get the next page. Left out on the last page.
     */
    next_cursor?: string;
    /**
     * Give it as `before` to get the page before. Left out at the start of the list.
     */
    previous_cursor?: string;
};

/**
 * A URL to which inbound mail for some addresses is posted.
 */
export type Route = {
    object: 'route';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    url: string;
    /**
     * Empty: every address of the account.
     */
    recipient: string;
    attachments: boolean;
    headers: boolean;
    group_by_message_id: boolean;
    strip_replies: boolean;
    enabled: boolean;
    success_count: number;
    error_count: number;
    errors_since_last_success: number;
    last_request_at: string | null;
};

/**
 * A message that arrived for a route.
 */
export type RouteCall = {
    type: 'message.routing';
    /**
     * When the message arrived.
     */
    timestamp: string;
    route_id: string;
    data: {
        /**
         * The id of the message: 32 hexadecimal digits.
         */
        id: string;
        /**
         * As received; empty when there is none.
         */
        from: string;
        /**
         * One address: of the first Reply-To mailbox, else of From.
         */
        reply_to: string;
        /**
         * The envelope recipient that matched.
         */
        to: string;
        /**
         * As received; empty when there is none.
         */
        subject: string;
        /**
         * As received; empty when there is none.
         */
        message_id: string;
        /**
         * Bytes of the raw message.
         */
        size: number;
        /**
         * 0: not checked.
         */
        spam_score: number;
        /**
         * Whether it is a delivery report.
         */
        bounce: boolean;
        /**
         * As received; empty when there is none.
         */
        cc: string;
        /**
         * As received; empty when there is none.
         */
        date: string;
        /**
         * As received; empty when there is none.
         */
        in_reply_to: string;
        /**
         * As received; empty when there is none.
         */
        references: string;
        /**
         * As received; empty when there is none.
         */
        auto_submitted: string;
        html_body: string;
        plain_body: string;
        /**
         * The new text without what it quotes, with `strip_replies`; else empty.
         */
        reply_from_plain_body: string;
        /**
         * Empty without `attachments`.
         */
        attachments: Array<{
            filename: string;
            content_type: string;
            /**
             * Without angle brackets, percent-decoded; empty when there is none.
             */
            content_id: string;
            /**
             * In lower case; empty when the part had none.
             */
            disposition: string;
            data: string;
        }>;
        /**
         * The first value of each field, with `headers` only.
         */
        headers?: {
            [key: string]: string;
        };
    };
};

export type RoutePage = {
    object: 'list';
    data: Array<Route>;
    pagination: Pagination;
};

export type RoutesCreateBody = {
    name: string;
    /**
     * Absolute, http or https, at a public address.
     */
    url: string;
    /**
     * `<local pattern>@<domain>` with one domain of the account; `*` in the local part matches any run of characters. Empty: every address of the account.
     */
    recipient: string;
    /**
     * Sends attachments along.
     */
    attachments?: boolean | null;
    /**
     * Includes the header fields.
     */
    headers?: boolean | null;
    /**
     * One call per message instead of one per matching recipient.
     */
    group_by_message_id?: boolean | null;
    /**
     * Adds the new text of a reply without its quotes.
     */
    strip_replies?: boolean | null;
    enabled?: boolean | null;
};

export type RoutesRecoverBody = {
    /**
     * Earliest time of the events; default: all retained events, by default of seven days.
     */
    since?: string | null;
};

export type RoutesTriggerBody = {
    [key: string]: never;
};

export type RoutesUpdateBody = {
    name?: string | null;
    /**
     * Absolute, http or https, at a public address.
     */
    url?: string | null;
    /**
     * `<local pattern>@<domain>` with one domain of the account; `*` in the local part matches any run of characters. Empty: every address of the account.
     */
    recipient?: string | null;
    /**
     * Sends attachments along.
     */
    attachments?: boolean | null;
    /**
     * Includes the header fields.
     */
    headers?: boolean | null;
    /**
     * One call per message instead of one per matching recipient.
     */
    group_by_message_id?: boolean | null;
    /**
     * Adds the new text of a reply without its quotes.
     */
    strip_replies?: boolean | null;
    enabled?: boolean | null;
};

/**
 * A permission of a key; with a domain in braces it is limited to this domain.
 */
export type Scope = '*' | 'domains:read' | 'domains:write' | 'accounts:read' | 'accounts:write' | 'accounts:billing' | 'accounts:members:read' | 'accounts:members:add' | 'accounts:members:update' | 'accounts:members:remove' | 'suppressions:read' | 'suppressions:write' | 'suppressions:delete' | 'suppressions:wipe' | 'templates:read' | 'templates:write' | 'templates:delete' | 'campaigns:read' | 'campaigns:write' | 'campaigns:delete' | 'campaigns:send' | 'contacts:read' | 'contacts:write' | 'contacts:delete' | 'lists:read' | 'lists:write' | 'lists:delete' | 'api-keys:read' | 'api-keys:write' | 'api-keys:delete' | 'sub-accounts:read' | 'sub-accounts:write' | 'sub-accounts:delete' | 'sub-accounts:suspend' | 'sub-accounts:usage' | 'sub-account-api-keys:read' | 'sub-account-api-keys:write' | 'sub-account-api-keys:delete' | 'messages:send:all' | 'messages:cancel:all' | 'messages:read:all' | 'domains:delete:all' | 'webhooks:read:all' | 'webhooks:write:all' | 'webhooks:delete:all' | 'routes:read:all' | 'routes:write:all' | 'routes:delete:all' | 'smtp-credentials:read:all' | 'smtp-credentials:write:all' | 'smtp-credentials:delete:all' | 'statistics-transactional:read:all' | string;

/**
 * What became of one recipient of a send.
 */
export type SendResult = {
    object: 'message';
    /**
     * The Message-ID, with angle brackets; null when nothing is sent to this recipient.
     */
    id: string | null;
    recipient: {
        /**
         * Trimmed, in lower case, the domain as A-labels.
         */
        email: string;
        name: string;
        substitutions?: {
            [key: string]: unknown;
        };
    };
    status: 'queued' | 'scheduled' | 'error';
    /**
     * Why nothing is sent to this recipient. Left out for the others.
     */
    error?: string;
    /**
     * As it was given; left out when there was none.
     */
    schedule?: {
        first_attempt?: string | null;
        expires?: string | null;
    };
};

export type SendResultList = {
    object: 'list';
    data: Array<SendResult>;
};

/**
 * A login for submission over SMTP, without its password.
 */
export type SmtpCredential = {
    object: 'credential_smtp';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    /**
     * The user name that a client logs in with.
     */
    username: string;
    sandbox: boolean;
    scope: 'global' | 'scoped';
    /**
     * Empty for a global one, and for a scoped one whose domains were all deleted.
     */
    domains: Array<string>;
};

export type SmtpCredentialPage = {
    object: 'list';
    data: Array<SmtpCredential>;
    pagination: Pagination;
};

export type SmtpCredentialsCreateBody = {
    name: string;
    /**
     * `global`: sends from every domain of the account; `scoped`: from the listed ones.
     */
    scope: 'global' | 'scoped';
    /**
     * Every message through it is simulated, nothing is delivered.
     */
    sandbox?: boolean | null;
    /**
     * Domains of the account. Needed when `scoped`, ignored when `global`.
     */
    domains?: Array<string> | null;
};

/**
 * An account that belongs to another one.
 */
export type SubAccount = {
    object: 'sub_account';
    /**
     * The account id of the sub-account.
     */
    id: string;
    parent_account_id: string;
    created_at: string;
    name: string;
    /**
     * A bare domain.
     */
    website: string;
    /**
     * `suspended`: by you or by the operator; `parent-suspended`: because you are suspended. A `deleted` one is never returned.
     */
    status: 'active' | 'suspended' | 'parent-suspended' | 'deleted';
    /**
     * Messages that it may send per calendar month (UTC), one per recipient, sandbox not counted; 0 = no cap.
     */
    monthly_credit: number;
    /**
     * Domains that it owns now.
     */
    domain_count: number;
    /**
     * Its direct members; none after a create through the API.
     */
    member_count: number;
    /**
     * When a message of it was last accepted, sandbox not counted.
     */
    last_activity_at: string | null;
};

export type SubAccountApiKeysCreateBody = {
    label: string;
    scopes: Array<Scope>;
    ip_allow_list?: Array<string> | null;
};

export type SubAccountApiKeysUpdateBody = {
    label?: string | null;
    scopes?: Array<Scope> | null;
    ip_allow_list?: Array<string> | null;
};

export type SubAccountPage = {
    object: 'list';
    data: Array<SubAccount>;
    pagination: Pagination;
};

/**
 * The usage of an account and its sub-accounts in this month.
 */
export type SubAccountUsage = {
    /**
     * The current calendar month in UTC.
     */
    billing_period: {
        start: string;
        /**
         * The first moment after the period.
         */
        end: string;
    };
    /**
     * Lower-case code.
     */
    currency: string;
    allocation_method: 'proportional';
    /**
     * Explains the allocated cost to readers.
     */
    allocation_note: string;
    parent: {
        account_id: string;
        /**
         * Accepted outbound messages, one per recipient, sandbox not counted.
         */
        reception_count: number;
        /**
         * Share of the pooled cost, two decimals. The parts sum to the total.
         */
        allocated_cost: number;
    };
    /**
     * Every sub-account that is not deleted, oldest first.
     */
    sub_accounts: Array<{
        account_id: string;
        name: string;
        /**
         * Accepted outbound messages, one per recipient, sandbox not counted.
         */
        reception_count: number;
        /**
         * Share of the pooled cost, two decimals. The parts sum to the total.
         */
        allocated_cost: number;
    }>;
    /**
     * Sub-accounts that were deleted during the period, together.
     */
    removed_sub_accounts: {
        /**
         * Accepted outbound messages, one per recipient, sandbox not counted.
         */
        reception_count: number;
        /**
         * Share of the pooled cost, two decimals. The parts sum to the total.
         */
        allocated_cost: number;
    };
    total: {
        /**
         * Accepted outbound messages, one per recipient, sandbox not counted.
         */
        reception_count: number;
        /**
         * Share of the pooled cost, two decimals. The parts sum to the total.
         */
        allocated_cost: number;
    };
};

export type SubAccountsCreateBody = {
    name: string;
    /**
     * A domain, or an http(s) URL, of which the host is kept.
     */
    website: string;
    /**
     * Messages that it may send per calendar month (UTC), one per recipient, sandbox not counted; 0 = no cap.
     */
    monthly_credit?: number | null;
};

export type SubAccountsSuspendBody = {
    reason: string;
};

export type SubAccountsUpdateBody = {
    name?: string | null;
    /**
     * A domain, or an http(s) URL, of which the host is kept.
     */
    website?: string | null;
    /**
     * Messages that it may send per calendar month (UTC), one per recipient, sandbox not counted; 0 = no cap.
     */
    monthly_credit?: number | null;
};

/**
 * An address that a domain does not write to.
 */
export type Suppression = {
    object: 'suppression';
    id: string;
    created_at: string;
    email: string;
    /**
     * The sending domain that it applies to.
     */
    domain: string;
    /**
     * Empty when none was given.
     */
    reason: string;
    /**
     * The recipient's own decision: an unsubscribe or a spam complaint.
     */
    protected: boolean;
    /**
     * 9999-12-31T23:59:59Z when it is permanent.
     */
    expires_at: string;
};

export type SuppressionCreatedEvent = {
    type: 'suppression.created';
    /**
     * When it happened.
     */
    timestamp: string;
    webhook_id: string;
    data: {
        account_id: string;
        recipient: string;
        created_at: string;
        expires_at: string;
        reason: string;
        sending_domain: string;
    };
};

export type SuppressionList = {
    object: 'list';
    data: Array<Suppression>;
};

export type SuppressionPage = {
    object: 'list';
    data: Array<Suppression>;
    pagination: Pagination;
};

export type SuppressionsCreateBody = {
    /**
     * Who is not to be written to.
     */
    email: string;
    /**
     * From then on it blocks nothing. In the future.
     */
    expires_at: string;
    /**
     * The sending domain that it applies to, one of the account; without it, all of them.
     */
    domain?: string | null;
    reason?: string | null;
};

/**
 * A transactional template, as it is published.
 */
export type Template = {
    object: 'template';
    id: string;
    created_at: string;
    /**
     * Last change of the name or of the published copy.
     */
    updated_at: string;
    name: string;
    subject: string;
    preheader: string;
    variables: Array<TemplateVariable>;
    /**
     * The default sender; null: each send needs `from`.
     */
    from: {
        email: string;
        name: string;
    } | null;
    reply_to: {
        email: string;
        name: string;
    } | null;
    editor: 'advanced' | 'simple' | 'html';
    has_draft: boolean;
    /**
     * null: there is no body.
     */
    content: TemplateContent | null;
};

/**
 * The body. What does not apply or is empty is left out.
 */
export type TemplateContent = {
    /**
     * The source of the editor `advanced`.
     */
    mjml?: string;
    /**
     * The source of the editors `html` and `simple`.
     */
    html?: string;
    text?: string;
    /**
     * false: made from the HTML, and again with each design.
     */
    text_is_custom: boolean;
};

/**
 * The draft, which is not published yet.
 */
export type TemplateDraft = {
    object: 'template_draft';
    template_id: string;
    updated_at: string;
    subject: string;
    preheader: string;
    variables: Array<TemplateVariable>;
    /**
     * The default sender; null: each send needs `from`.
     */
    from: {
        email: string;
        name: string;
    } | null;
    reply_to: {
        email: string;
        name: string;
    } | null;
    /**
     * null: there is no body.
     */
    content: TemplateContent | null;
    /**
     * The problems that keep it from being published, or a send from relying on it.
     */
    issues: Array<Issue>;
};

/**
 * A template without its body.
 */
export type TemplateListItem = {
    object: 'template';
    id: string;
    created_at: string;
    /**
     * Last change of the name or of the published copy.
     */
    updated_at: string;
    name: string;
    subject: string;
    preheader: string;
    variables: Array<TemplateVariable>;
    /**
     * The default sender; null: each send needs `from`.
     */
    from: {
        email: string;
        name: string;
    } | null;
    reply_to: {
        email: string;
        name: string;
    } | null;
    editor: 'advanced' | 'simple' | 'html';
    has_draft: boolean;
};

export type TemplateListItemPage = {
    object: 'list';
    data: Array<TemplateListItem>;
    pagination: Pagination;
};

/**
 * A value that the design asks of each recipient.
 */
export type TemplateVariable = {
    name: string;
    required: boolean;
};

/**
 * A state that was published.
 */
export type TemplateVersion = {
    object: 'template_version';
    id: string;
    version: number;
    published_at: string;
    /**
     * null: not known, or deleted meanwhile.
     */
    published_by: {
        type: 'user' | 'api_key';
        id: string;
    } | null;
};

/**
 * A state that was published, with all that it held.
 */
export type TemplateVersionDetail = {
    object: 'template_version';
    id: string;
    version: number;
    published_at: string;
    /**
     * null: not known, or deleted meanwhile.
     */
    published_by: {
        type: 'user' | 'api_key';
        id: string;
    } | null;
    subject: string;
    preheader: string;
    variables: Array<TemplateVariable>;
    /**
     * The default sender; null: each send needs `from`.
     */
    from: {
        email: string;
        name: string;
    } | null;
    reply_to: {
        email: string;
        name: string;
    } | null;
    /**
     * null: there is no body.
     */
    content: TemplateContent | null;
};

export type TemplateVersionList = {
    object: 'list';
    data: Array<TemplateVersion>;
};

export type TemplatesCreateBody = {
    name: string;
    /**
     * Follows from the content where that has mjml or html.
     */
    editor?: 'advanced' | 'simple' | 'html' | null;
    /**
     * `null` or `""` clears it.
     */
    subject?: string | null;
    /**
     * `null` or `""` clears it.
     */
    preheader?: string | null;
    /**
     * On a domain of the account that may send. `null` clears sender and reply-to.
     */
    from?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * Needs a sender and has no name. `null` clears it.
     */
    reply_to?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.
     */
    content?: {
        /**
         * At most 1 MiB.
         */
        mjml?: string | null;
        /**
         * At most 1 MiB.
         */
        html?: string | null;
        /**
         * At most 256 KiB.
         */
        text?: string | null;
        /**
         * Ignored: what is read can be sent back.
         */
        text_is_custom?: boolean | null;
    };
    /**
     * Publish after writing.
     */
    publish?: boolean | null;
};

export type TemplatesPreviewBody = {
    /**
     * true: the published copy, also when there is a draft.
     */
    published?: boolean | null;
    /**
     * The recipient; `recipient@example.com` when left out.
     */
    email?: string | null;
    /**
     * Values of variables: any JSON.
     */
    substitutions?: {
        [key: string]: unknown;
    } | null;
};

export type TemplatesRestoreVersionBody = {
    publish?: boolean | null;
};

export type TemplatesUpdateBody = {
    name?: string;
    /**
     * `null` or `""` clears it.
     */
    subject?: string | null;
    /**
     * `null` or `""` clears it.
     */
    preheader?: string | null;
    /**
     * On a domain of the account that may send. `null` clears sender and reply-to.
     */
    from?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * Needs a sender and has no name. `null` clears it.
     */
    reply_to?: {
        /**
         * Trimmed and lower-cased.
         */
        email: string;
        name?: string | null;
    } | null;
    /**
     * One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.
     */
    content?: {
        /**
         * At most 1 MiB.
         */
        mjml?: string | null;
        /**
         * At most 1 MiB.
         */
        html?: string | null;
        /**
         * At most 256 KiB.
         */
        text?: string | null;
        /**
         * Ignored: what is read can be sent back.
         */
        text_is_custom?: boolean | null;
    };
    /**
     * Publish after writing.
     */
    publish?: boolean | null;
};

/**
 * A list of contacts, without its count.
 */
export type UncountedContactList = {
    object: 'contact_list';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    description: string;
    tags: Array<string>;
};

/**
 * A subscription to events.
 */
export type Webhook = {
    object: 'webhook';
    id: string;
    created_at: string;
    updated_at: string;
    name: string;
    url: string;
    enabled: boolean;
    on_reception: boolean;
    on_delivered: boolean;
    on_transient_error: boolean;
    on_failed: boolean;
    on_bounced: boolean;
    on_suppressed: boolean;
    on_opened: boolean;
    on_clicked: boolean;
    on_suppression_created: boolean;
    on_dns_error: boolean;
    scope: 'global' | 'scoped';
    /**
     * Empty for a global webhook.
     */
    domains: Array<string>;
    success_count: number;
    error_count: number;
    errors_since_last_success: number;
    last_request_at: string | null;
};

/**
 * What the other server said.
 */
export type WebhookDeliveryAttempt = {
    /**
     * The class of a failure; an open set.
     */
    classification?: string;
    /**
     * 0: a text of Postmesh, without an SMTP code.
     */
    smtp_code: number;
    enhanced_status_code?: string;
    response?: string;
    /**
     * The SMTP command that got the reply.
     */
    command?: string;
};

export type WebhookPage = {
    object: 'list';
    data: Array<Webhook>;
    pagination: Pagination;
};

export type WebhooksCreateBody = {
    name: string;
    /**
     * Absolute, http or https, at a public address.
     */
    url: string;
    /**
     * `global`: events of all domains; `scoped`: of the listed ones.
     */
    scope: 'global' | 'scoped';
    /**
     * Domains of the account. Needed when `scoped`, ignored when `global`.
     */
    domains?: Array<string> | null;
    enabled?: boolean | null;
    on_reception?: boolean | null;
    on_delivered?: boolean | null;
    on_transient_error?: boolean | null;
    on_failed?: boolean | null;
    on_bounced?: boolean | null;
    on_suppressed?: boolean | null;
    on_opened?: boolean | null;
    on_clicked?: boolean | null;
    on_suppression_created?: boolean | null;
    on_dns_error?: boolean | null;
};

export type WebhooksRecoverBody = {
    /**
     * Earliest time of the events; default: all retained events, by default of seven days.
     */
    since?: string | null;
};

export type WebhooksTriggerBody = {
    /**
     * Each of them one of `message.reception`, `message.delivered`, `message.transient_error`, `message.failed`, `message.bounced`, `message.suppressed`, `message.opened`, `message.clicked`, `suppression.created`, `domain.dns_error`.
     */
    events: Array<string>;
};

export type WebhooksUpdateBody = {
    name?: string | null;
    /**
     * Absolute, http or https, at a public address.
     */
    url?: string | null;
    /**
     * `global`: events of all domains; `scoped`: of the listed ones.
     */
    scope?: 'global' | 'scoped' | null;
    /**
     * Domains of the account. Needed when `scoped`, ignored when `global`.
     */
    domains?: Array<string> | null;
    enabled?: boolean | null;
    on_reception?: boolean | null;
    on_delivered?: boolean | null;
    on_transient_error?: boolean | null;
    on_failed?: boolean | null;
    on_bounced?: boolean | null;
    on_suppressed?: boolean | null;
    on_opened?: boolean | null;
    on_clicked?: boolean | null;
    on_suppression_created?: boolean | null;
    on_dns_error?: boolean | null;
};

/**
 * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
 */
export type IdempotencyKey = string;

/**
 * `pagination.next_cursor` of the page before. Not together with `before`.
 */
export type After = string;

/**
 * `pagination.previous_cursor` of the page after. Not together with `after`.
 */
export type Before = string;

/**
 * Id of the campaign.
 */
export type CampaignId = string;

/**
 * Name of a domain of the account, in any spelling.
 */
export type Domain2 = string;

/**
 * A contact: its id, or its address, percent-encoded once.
 */
export type IdOrEmail = string;

/**
 * Id of the key.
 */
export type KeyId = string;

/**
 * Most items on the page.
 */
export type Limit = number;

/**
 * Id of the list.
 */
export type ListId = string;

/**
 * A message: its id, or its Message-ID, percent-encoded, with or without angle brackets.
 */
export type MessageId = string;

/**
 * Id of the route.
 */
export type RouteId = string;

/**
 * Id of the smtp credential.
 */
export type SmtpCredentialId = string;

/**
 * Id of the sub account.
 */
export type SubAccountId = string;

/**
 * Id of the template.
 */
export type TemplateId = string;

/**
 * Id of the user.
 */
export type UserId = string;

/**
 * Id of the version.
 */
export type VersionId = string;

/**
 * The id of this event for this URL: the same in each retry.
 */
export type WebhookId = string;

/**
 * The signature of `webhook-id`, `webhook-timestamp` and the raw body.
 */
export type WebhookSignature = string;

/**
 * When this attempt was made: seconds since 1970.
 */
export type WebhookTimestamp = string;

/**
 * Id of the webhook.
 */
export type WebhookId2 = string;

export type PingData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v2/ping';
};

export type PingErrors = {
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type PingError = PingErrors[keyof PingErrors];

export type PingResponses = {
    /**
     * The key is good.
     */
    200: Message;
};

export type PingResponse = PingResponses[keyof PingResponses];

export type AccountGetData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}';
};

export type AccountGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type AccountGetError = AccountGetErrors[keyof AccountGetErrors];

export type AccountGetResponses = {
    /**
     * The account of the key.
     */
    200: Account;
};

export type AccountGetResponse = AccountGetResponses[keyof AccountGetResponses];

export type AccountUpdateData = {
    body: AccountUpdateBody;
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}';
};

export type AccountUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type AccountUpdateError = AccountUpdateErrors[keyof AccountUpdateErrors];

export type AccountUpdateResponses = {
    /**
     * The account after the change.
     */
    200: Account;
};

export type AccountUpdateResponse = AccountUpdateResponses[keyof AccountUpdateResponses];

export type MembersListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/members';
};

export type MembersListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MembersListError = MembersListErrors[keyof MembersListErrors];

export type MembersListResponses = {
    /**
     * The members.
     */
    200: MemberList;
};

export type MembersListResponse = MembersListResponses[keyof MembersListResponses];

export type MembersAddData = {
    body: MembersAddBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/members';
};

export type MembersAddErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MembersAddError = MembersAddErrors[keyof MembersAddErrors];

export type MembersAddResponses = {
    /**
     * The new member.
     */
    201: Member;
};

export type MembersAddResponse = MembersAddResponses[keyof MembersAddResponses];

export type MembersRemoveData = {
    body?: never;
    path: {
        /**
         * Id of the user.
         */
        user_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/members/{user_id}';
};

export type MembersRemoveErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MembersRemoveError = MembersRemoveErrors[keyof MembersRemoveErrors];

export type MembersRemoveResponses = {
    /**
     * They are a member no longer.
     */
    200: Message;
};

export type MembersRemoveResponse = MembersRemoveResponses[keyof MembersRemoveResponses];

export type MembersUpdateData = {
    body: MembersUpdateBody;
    path: {
        /**
         * Id of the user.
         */
        user_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/members/{user_id}';
};

export type MembersUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MembersUpdateError = MembersUpdateErrors[keyof MembersUpdateErrors];

export type MembersUpdateResponses = {
    /**
     * The member after the change.
     */
    200: Member;
};

export type MembersUpdateResponse = MembersUpdateResponses[keyof MembersUpdateResponses];

export type ApiKeysListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/api-keys';
};

export type ApiKeysListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ApiKeysListError = ApiKeysListErrors[keyof ApiKeysListErrors];

export type ApiKeysListResponses = {
    /**
     * One page of keys.
     */
    200: ApiKeyPage;
};

export type ApiKeysListResponse = ApiKeysListResponses[keyof ApiKeysListResponses];

export type ApiKeysCreateData = {
    body: ApiKeysCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/api-keys';
};

export type ApiKeysCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ApiKeysCreateError = ApiKeysCreateErrors[keyof ApiKeysCreateErrors];

export type ApiKeysCreateResponses = {
    /**
     * The new key with its secret.
     */
    201: CreatedApiKey;
};

export type ApiKeysCreateResponse = ApiKeysCreateResponses[keyof ApiKeysCreateResponses];

export type ApiKeysDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the key.
         */
        key_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/api-keys/{key_id}';
};

export type ApiKeysDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ApiKeysDeleteError = ApiKeysDeleteErrors[keyof ApiKeysDeleteErrors];

export type ApiKeysDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type ApiKeysDeleteResponse = ApiKeysDeleteResponses[keyof ApiKeysDeleteResponses];

export type ApiKeysGetData = {
    body?: never;
    path: {
        /**
         * Id of the key.
         */
        key_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/api-keys/{key_id}';
};

export type ApiKeysGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ApiKeysGetError = ApiKeysGetErrors[keyof ApiKeysGetErrors];

export type ApiKeysGetResponses = {
    /**
     * The key.
     */
    200: ApiKey;
};

export type ApiKeysGetResponse = ApiKeysGetResponses[keyof ApiKeysGetResponses];

export type ApiKeysUpdateData = {
    body: ApiKeysUpdateBody;
    path: {
        /**
         * Id of the key.
         */
        key_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/api-keys/{key_id}';
};

export type ApiKeysUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ApiKeysUpdateError = ApiKeysUpdateErrors[keyof ApiKeysUpdateErrors];

export type ApiKeysUpdateResponses = {
    /**
     * The key after the change.
     */
    200: ApiKey;
};

export type ApiKeysUpdateResponse = ApiKeysUpdateResponses[keyof ApiKeysUpdateResponses];

export type SubAccountsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/sub-accounts';
};

export type SubAccountsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsListError = SubAccountsListErrors[keyof SubAccountsListErrors];

export type SubAccountsListResponses = {
    /**
     * One page of sub-accounts.
     */
    200: SubAccountPage;
};

export type SubAccountsListResponse = SubAccountsListResponses[keyof SubAccountsListResponses];

export type SubAccountsCreateData = {
    body: SubAccountsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts';
};

export type SubAccountsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsCreateError = SubAccountsCreateErrors[keyof SubAccountsCreateErrors];

export type SubAccountsCreateResponses = {
    /**
     * The new sub-account.
     */
    201: SubAccount;
};

export type SubAccountsCreateResponse = SubAccountsCreateResponses[keyof SubAccountsCreateResponses];

export type SubAccountsUsageData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/usage';
};

export type SubAccountsUsageErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsUsageError = SubAccountsUsageErrors[keyof SubAccountsUsageErrors];

export type SubAccountsUsageResponses = {
    /**
     * The usage so far.
     */
    200: SubAccountUsage;
};

export type SubAccountsUsageResponse = SubAccountsUsageResponses[keyof SubAccountsUsageResponses];

export type SubAccountsDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}';
};

export type SubAccountsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsDeleteError = SubAccountsDeleteErrors[keyof SubAccountsDeleteErrors];

export type SubAccountsDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type SubAccountsDeleteResponse = SubAccountsDeleteResponses[keyof SubAccountsDeleteResponses];

export type SubAccountsGetData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}';
};

export type SubAccountsGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsGetError = SubAccountsGetErrors[keyof SubAccountsGetErrors];

export type SubAccountsGetResponses = {
    /**
     * The sub-account.
     */
    200: SubAccount;
};

export type SubAccountsGetResponse = SubAccountsGetResponses[keyof SubAccountsGetResponses];

export type SubAccountsUpdateData = {
    body: SubAccountsUpdateBody;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}';
};

export type SubAccountsUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsUpdateError = SubAccountsUpdateErrors[keyof SubAccountsUpdateErrors];

export type SubAccountsUpdateResponses = {
    /**
     * The sub-account.
     */
    200: SubAccount;
};

export type SubAccountsUpdateResponse = SubAccountsUpdateResponses[keyof SubAccountsUpdateResponses];

export type SubAccountsSuspendData = {
    body: SubAccountsSuspendBody;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/suspend';
};

export type SubAccountsSuspendErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsSuspendError = SubAccountsSuspendErrors[keyof SubAccountsSuspendErrors];

export type SubAccountsSuspendResponses = {
    /**
     * The sub-account.
     */
    200: SubAccount;
};

export type SubAccountsSuspendResponse = SubAccountsSuspendResponses[keyof SubAccountsSuspendResponses];

export type SubAccountsUnsuspendData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/unsuspend';
};

export type SubAccountsUnsuspendErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsUnsuspendError = SubAccountsUnsuspendErrors[keyof SubAccountsUnsuspendErrors];

export type SubAccountsUnsuspendResponses = {
    /**
     * The sub-account.
     */
    200: SubAccount;
};

export type SubAccountsUnsuspendResponse = SubAccountsUnsuspendResponses[keyof SubAccountsUnsuspendResponses];

export type SubAccountsUnpauseDomainData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
        /**
         * Name of a domain of the account, in any spelling.
         */
        domain: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/domains/{domain}/unpause';
};

export type SubAccountsUnpauseDomainErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountsUnpauseDomainError = SubAccountsUnpauseDomainErrors[keyof SubAccountsUnpauseDomainErrors];

export type SubAccountsUnpauseDomainResponses = {
    /**
     * The domain of the sub-account.
     */
    200: Domain;
};

export type SubAccountsUnpauseDomainResponse = SubAccountsUnpauseDomainResponses[keyof SubAccountsUnpauseDomainResponses];

export type SubAccountApiKeysListData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: {
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys';
};

export type SubAccountApiKeysListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountApiKeysListError = SubAccountApiKeysListErrors[keyof SubAccountApiKeysListErrors];

export type SubAccountApiKeysListResponses = {
    /**
     * One page of keys, without secrets.
     */
    200: ApiKeyPage;
};

export type SubAccountApiKeysListResponse = SubAccountApiKeysListResponses[keyof SubAccountApiKeysListResponses];

export type SubAccountApiKeysCreateData = {
    body: SubAccountApiKeysCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys';
};

export type SubAccountApiKeysCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountApiKeysCreateError = SubAccountApiKeysCreateErrors[keyof SubAccountApiKeysCreateErrors];

export type SubAccountApiKeysCreateResponses = {
    /**
     * The new key with its secret.
     */
    201: CreatedApiKey;
};

export type SubAccountApiKeysCreateResponse = SubAccountApiKeysCreateResponses[keyof SubAccountApiKeysCreateResponses];

export type SubAccountApiKeysDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
        /**
         * Id of the key.
         */
        key_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}';
};

export type SubAccountApiKeysDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountApiKeysDeleteError = SubAccountApiKeysDeleteErrors[keyof SubAccountApiKeysDeleteErrors];

export type SubAccountApiKeysDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type SubAccountApiKeysDeleteResponse = SubAccountApiKeysDeleteResponses[keyof SubAccountApiKeysDeleteResponses];

export type SubAccountApiKeysGetData = {
    body?: never;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
        /**
         * Id of the key.
         */
        key_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}';
};

export type SubAccountApiKeysGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountApiKeysGetError = SubAccountApiKeysGetErrors[keyof SubAccountApiKeysGetErrors];

export type SubAccountApiKeysGetResponses = {
    /**
     * The key.
     */
    200: ApiKey;
};

export type SubAccountApiKeysGetResponse = SubAccountApiKeysGetResponses[keyof SubAccountApiKeysGetResponses];

export type SubAccountApiKeysUpdateData = {
    body: SubAccountApiKeysUpdateBody;
    path: {
        /**
         * Id of the sub account.
         */
        sub_account_id: string;
        /**
         * Id of the key.
         */
        key_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}';
};

export type SubAccountApiKeysUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SubAccountApiKeysUpdateError = SubAccountApiKeysUpdateErrors[keyof SubAccountApiKeysUpdateErrors];

export type SubAccountApiKeysUpdateResponses = {
    /**
     * The key.
     */
    200: ApiKey;
};

export type SubAccountApiKeysUpdateResponse = SubAccountApiKeysUpdateResponses[keyof SubAccountApiKeysUpdateResponses];

export type SmtpCredentialsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/smtp-credentials';
};

export type SmtpCredentialsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SmtpCredentialsListError = SmtpCredentialsListErrors[keyof SmtpCredentialsListErrors];

export type SmtpCredentialsListResponses = {
    /**
     * One page of credentials.
     */
    200: SmtpCredentialPage;
};

export type SmtpCredentialsListResponse = SmtpCredentialsListResponses[keyof SmtpCredentialsListResponses];

export type SmtpCredentialsCreateData = {
    body: SmtpCredentialsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/smtp-credentials';
};

export type SmtpCredentialsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SmtpCredentialsCreateError = SmtpCredentialsCreateErrors[keyof SmtpCredentialsCreateErrors];

export type SmtpCredentialsCreateResponses = {
    /**
     * The new credential with its password.
     */
    201: NewSmtpCredential;
};

export type SmtpCredentialsCreateResponse = SmtpCredentialsCreateResponses[keyof SmtpCredentialsCreateResponses];

export type SmtpCredentialsDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the smtp credential.
         */
        smtp_credential_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/smtp-credentials/{smtp_credential_id}';
};

export type SmtpCredentialsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SmtpCredentialsDeleteError = SmtpCredentialsDeleteErrors[keyof SmtpCredentialsDeleteErrors];

export type SmtpCredentialsDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type SmtpCredentialsDeleteResponse = SmtpCredentialsDeleteResponses[keyof SmtpCredentialsDeleteResponses];

export type SmtpCredentialsGetData = {
    body?: never;
    path: {
        /**
         * Id of the smtp credential.
         */
        smtp_credential_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/smtp-credentials/{smtp_credential_id}';
};

export type SmtpCredentialsGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SmtpCredentialsGetError = SmtpCredentialsGetErrors[keyof SmtpCredentialsGetErrors];

export type SmtpCredentialsGetResponses = {
    /**
     * The credential.
     */
    200: SmtpCredential;
};

export type SmtpCredentialsGetResponse = SmtpCredentialsGetResponses[keyof SmtpCredentialsGetResponses];

export type DomainsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only domains whose required records are right, or are not.
         */
        dns_valid?: boolean;
        /**
         * Only domains for this kind of mail.
         */
        sending_type?: 'transactional' | 'marketing';
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/domains';
};

export type DomainsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type DomainsListError = DomainsListErrors[keyof DomainsListErrors];

export type DomainsListResponses = {
    /**
     * One page of domains.
     */
    200: DomainPage;
};

export type DomainsListResponse = DomainsListResponses[keyof DomainsListResponses];

export type DomainsCreateData = {
    body: DomainsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/domains';
};

export type DomainsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type DomainsCreateError = DomainsCreateErrors[keyof DomainsCreateErrors];

export type DomainsCreateResponses = {
    /**
     * The new domain.
     */
    201: Domain;
};

export type DomainsCreateResponse = DomainsCreateResponses[keyof DomainsCreateResponses];

export type DomainsDeleteData = {
    body?: never;
    path: {
        /**
         * Name of a domain of the account, in any spelling.
         */
        domain: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/domains/{domain}';
};

export type DomainsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type DomainsDeleteError = DomainsDeleteErrors[keyof DomainsDeleteErrors];

export type DomainsDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type DomainsDeleteResponse = DomainsDeleteResponses[keyof DomainsDeleteResponses];

export type DomainsGetData = {
    body?: never;
    path: {
        /**
         * Name of a domain of the account, in any spelling.
         */
        domain: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/domains/{domain}';
};

export type DomainsGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type DomainsGetError = DomainsGetErrors[keyof DomainsGetErrors];

export type DomainsGetResponses = {
    /**
     * The domain.
     */
    200: Domain;
};

export type DomainsGetResponse = DomainsGetResponses[keyof DomainsGetResponses];

export type DomainsUpdateData = {
    body: DomainsUpdateBody;
    path: {
        /**
         * Name of a domain of the account, in any spelling.
         */
        domain: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/domains/{domain}';
};

export type DomainsUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type DomainsUpdateError = DomainsUpdateErrors[keyof DomainsUpdateErrors];

export type DomainsUpdateResponses = {
    /**
     * The domain as it is now.
     */
    200: Domain;
};

export type DomainsUpdateResponse = DomainsUpdateResponses[keyof DomainsUpdateResponses];

export type DomainsCheckDnsData = {
    body?: never;
    path: {
        /**
         * Name of a domain of the account, in any spelling.
         */
        domain: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/domains/{domain}/check-dns';
};

export type DomainsCheckDnsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type DomainsCheckDnsError = DomainsCheckDnsErrors[keyof DomainsCheckDnsErrors];

export type DomainsCheckDnsResponses = {
    /**
     * The domain after the check.
     */
    200: Domain;
};

export type DomainsCheckDnsResponse = DomainsCheckDnsResponses[keyof DomainsCheckDnsResponses];

export type MessagesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Any of these, separated by commas: Received, Scheduled, Delivered, Opened, Clicked, Deferred, Bounced, Failed, Suppressed, Canceled, Sandbox Delivered, Sandbox Deferred, Sandbox Failed, Sandbox Bounced, Sandbox Suppressed. `Delivered` includes opened and clicked messages, `Opened` clicked ones.
         */
        status?: string;
        /**
         * Exactly this address.
         */
        sender?: string;
        /**
         * Exactly this address.
         */
        recipient?: string;
        /**
         * Part of the subject, in upper or lower case.
         */
        subject?: string;
        /**
         * The Message-ID, with or without angle brackets.
         */
        message_id_header?: string;
        /**
         * Up to 20, separated by commas: messages with any of them.
         */
        tags?: string;
        /**
         * Only messages that were created at this time or later.
         */
        from_time?: string;
        /**
         * Only messages that were created before this time.
         */
        to_time?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/messages';
};

export type MessagesListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MessagesListError = MessagesListErrors[keyof MessagesListErrors];

export type MessagesListResponses = {
    /**
     * One page, without contents.
     */
    200: MessageSummaryPage;
};

export type MessagesListResponse = MessagesListResponses[keyof MessagesListResponses];

export type MessagesSendData = {
    body: MessagesSendBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/messages';
};

export type MessagesSendErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MessagesSendError = MessagesSendErrors[keyof MessagesSendErrors];

export type MessagesSendResponses = {
    /**
     * Stored and queued: one element per recipient, in the order of the request.
     */
    202: SendResultList;
};

export type MessagesSendResponse = MessagesSendResponses[keyof MessagesSendResponses];

export type MessagesSendConversationData = {
    body: MessagesSendConversationBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/messages/conversation';
};

export type MessagesSendConversationErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MessagesSendConversationError = MessagesSendConversationErrors[keyof MessagesSendConversationErrors];

export type MessagesSendConversationResponses = {
    /**
     * Stored and queued: one element per recipient, in the order to, cc, bcc.
     */
    202: SendResultList;
};

export type MessagesSendConversationResponse = MessagesSendConversationResponses[keyof MessagesSendConversationResponses];

export type MessagesSendTemplateData = {
    body: MessagesSendTemplateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/messages/template';
};

export type MessagesSendTemplateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MessagesSendTemplateError = MessagesSendTemplateErrors[keyof MessagesSendTemplateErrors];

export type MessagesSendTemplateResponses = {
    /**
     * Stored and queued: one element per recipient, in the order of the request.
     */
    202: SendResultList;
};

export type MessagesSendTemplateResponse = MessagesSendTemplateResponses[keyof MessagesSendTemplateResponses];

export type MessagesGetData = {
    body?: never;
    path: {
        /**
         * A message: its id, or its Message-ID, percent-encoded, with or without angle brackets.
         */
        message_id: string;
    };
    query?: {
        /**
         * Exactly this address: of the messages that share a Message-ID, that of this recipient. Without it the first.
         */
        recipient?: string;
    };
    url: '/v2/accounts/{account_id}/messages/{message_id}';
};

export type MessagesGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MessagesGetError = MessagesGetErrors[keyof MessagesGetErrors];

export type MessagesGetResponses = {
    /**
     * The message.
     */
    200: MessageRecord;
};

export type MessagesGetResponse = MessagesGetResponses[keyof MessagesGetResponses];

export type MessagesCancelData = {
    body?: never;
    path: {
        /**
         * A message: its id, or its Message-ID, percent-encoded, with or without angle brackets.
         */
        message_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/messages/{message_id}/cancel';
};

export type MessagesCancelErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type MessagesCancelError = MessagesCancelErrors[keyof MessagesCancelErrors];

export type MessagesCancelResponses = {
    /**
     * At least one is canceled.
     */
    200: Message;
};

export type MessagesCancelResponse = MessagesCancelResponses[keyof MessagesCancelResponses];

export type TemplatesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/templates';
};

export type TemplatesListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesListError = TemplatesListErrors[keyof TemplatesListErrors];

export type TemplatesListResponses = {
    /**
     * One page.
     */
    200: TemplateListItemPage;
};

export type TemplatesListResponse = TemplatesListResponses[keyof TemplatesListResponses];

export type TemplatesCreateData = {
    body: TemplatesCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/templates';
};

export type TemplatesCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesCreateError = TemplatesCreateErrors[keyof TemplatesCreateErrors];

export type TemplatesCreateResponses = {
    /**
     * The new template, as it is published.
     */
    201: Template;
};

export type TemplatesCreateResponse = TemplatesCreateResponses[keyof TemplatesCreateResponses];

export type TemplatesDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}';
};

export type TemplatesDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesDeleteError = TemplatesDeleteErrors[keyof TemplatesDeleteErrors];

export type TemplatesDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type TemplatesDeleteResponse = TemplatesDeleteResponses[keyof TemplatesDeleteResponses];

export type TemplatesGetData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}';
};

export type TemplatesGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesGetError = TemplatesGetErrors[keyof TemplatesGetErrors];

export type TemplatesGetResponses = {
    /**
     * The published copy.
     */
    200: Template;
};

export type TemplatesGetResponse = TemplatesGetResponses[keyof TemplatesGetResponses];

export type TemplatesUpdateData = {
    body: TemplatesUpdateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}';
};

export type TemplatesUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesUpdateError = TemplatesUpdateErrors[keyof TemplatesUpdateErrors];

export type TemplatesUpdateResponses = {
    /**
     * The published copy; `has_draft` says whether there is more.
     */
    200: Template;
};

export type TemplatesUpdateResponse = TemplatesUpdateResponses[keyof TemplatesUpdateResponses];

export type TemplatesDiscardDraftData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/draft';
};

export type TemplatesDiscardDraftErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesDiscardDraftError = TemplatesDiscardDraftErrors[keyof TemplatesDiscardDraftErrors];

export type TemplatesDiscardDraftResponses = {
    /**
     * The published copy.
     */
    200: Template;
};

export type TemplatesDiscardDraftResponse = TemplatesDiscardDraftResponses[keyof TemplatesDiscardDraftResponses];

export type TemplatesGetDraftData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/draft';
};

export type TemplatesGetDraftErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesGetDraftError = TemplatesGetDraftErrors[keyof TemplatesGetDraftErrors];

export type TemplatesGetDraftResponses = {
    /**
     * The draft, which is not published yet.
     */
    200: TemplateDraft;
};

export type TemplatesGetDraftResponse = TemplatesGetDraftResponses[keyof TemplatesGetDraftResponses];

export type TemplatesPublishData = {
    body?: never;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/publish';
};

export type TemplatesPublishErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesPublishError = TemplatesPublishErrors[keyof TemplatesPublishErrors];

export type TemplatesPublishResponses = {
    /**
     * The published copy.
     */
    200: Template;
};

export type TemplatesPublishResponse = TemplatesPublishResponses[keyof TemplatesPublishResponses];

export type TemplatesPreviewData = {
    body?: TemplatesPreviewBody;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/preview';
};

export type TemplatesPreviewErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesPreviewError = TemplatesPreviewErrors[keyof TemplatesPreviewErrors];

export type TemplatesPreviewResponses = {
    /**
     * The message.
     */
    200: MessagePreview;
};

export type TemplatesPreviewResponse = TemplatesPreviewResponses[keyof TemplatesPreviewResponses];

export type TemplatesListVersionsData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/versions';
};

export type TemplatesListVersionsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesListVersionsError = TemplatesListVersionsErrors[keyof TemplatesListVersionsErrors];

export type TemplatesListVersionsResponses = {
    /**
     * All that are kept.
     */
    200: TemplateVersionList;
};

export type TemplatesListVersionsResponse = TemplatesListVersionsResponses[keyof TemplatesListVersionsResponses];

export type TemplatesGetVersionData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
        /**
         * Id of the version.
         */
        version_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}';
};

export type TemplatesGetVersionErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesGetVersionError = TemplatesGetVersionErrors[keyof TemplatesGetVersionErrors];

export type TemplatesGetVersionResponses = {
    /**
     * The version with its body.
     */
    200: TemplateVersionDetail;
};

export type TemplatesGetVersionResponse = TemplatesGetVersionResponses[keyof TemplatesGetVersionResponses];

export type TemplatesRestoreVersionData = {
    body?: TemplatesRestoreVersionBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
        /**
         * Id of the version.
         */
        version_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}/restore';
};

export type TemplatesRestoreVersionErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type TemplatesRestoreVersionError = TemplatesRestoreVersionErrors[keyof TemplatesRestoreVersionErrors];

export type TemplatesRestoreVersionResponses = {
    /**
     * The published copy.
     */
    200: Template;
};

export type TemplatesRestoreVersionResponse = TemplatesRestoreVersionResponses[keyof TemplatesRestoreVersionResponses];

export type SuppressionsDeleteData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The address whose suppressions are lifted, in any spelling.
         */
        email: string;
        /**
         * One of the domains of the account.
         */
        domain?: string;
    };
    url: '/v2/accounts/{account_id}/suppressions';
};

export type SuppressionsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SuppressionsDeleteError = SuppressionsDeleteErrors[keyof SuppressionsDeleteErrors];

export type SuppressionsDeleteResponses = {
    /**
     * They are gone.
     */
    200: Message;
};

export type SuppressionsDeleteResponse = SuppressionsDeleteResponses[keyof SuppressionsDeleteResponses];

export type SuppressionsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * One of the domains of the account.
         */
        domain?: string;
        /**
         * Exactly this address, in any spelling.
         */
        email?: string;
        /**
         * Only those that were created at this time or later.
         */
        from_time?: string;
        /**
         * Only those that were created before this time.
         */
        to_time?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/suppressions';
};

export type SuppressionsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SuppressionsListError = SuppressionsListErrors[keyof SuppressionsListErrors];

export type SuppressionsListResponses = {
    /**
     * One page.
     */
    200: SuppressionPage;
};

export type SuppressionsListResponse = SuppressionsListResponses[keyof SuppressionsListResponses];

export type SuppressionsCreateData = {
    body: SuppressionsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/suppressions';
};

export type SuppressionsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SuppressionsCreateError = SuppressionsCreateErrors[keyof SuppressionsCreateErrors];

export type SuppressionsCreateResponses = {
    /**
     * The suppressions created.
     */
    201: SuppressionList;
};

export type SuppressionsCreateResponse = SuppressionsCreateResponses[keyof SuppressionsCreateResponses];

export type SuppressionsWipeData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * One of the domains of the account.
         */
        domain?: string;
    };
    url: '/v2/accounts/{account_id}/suppressions/all';
};

export type SuppressionsWipeErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type SuppressionsWipeError = SuppressionsWipeErrors[keyof SuppressionsWipeErrors];

export type SuppressionsWipeResponses = {
    /**
     * They are gone.
     */
    200: Message;
};

export type SuppressionsWipeResponse = SuppressionsWipeResponses[keyof SuppressionsWipeResponses];

export type StatisticsDeliverabilityData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Inclusive. Default: 30 days before `to_time`.
         */
        from_time?: string;
        /**
         * Exclusive. Default: now.
         */
        to_time?: string;
        /**
         * Sending domains of the account, separated by commas, up to 100. Default: all that the key may read.
         */
        sender_domain?: string;
        /**
         * Domains of recipients, separated by commas. Default: all.
         */
        recipient_domains?: string;
        /**
         * Messages with any of these tags, separated by commas, up to 20.
         */
        tags?: string;
        /**
         * Length of a bucket. Weeks begin on Monday. At most 1,000 buckets.
         */
        group_by?: 'hour' | 'day' | 'week' | 'month';
    };
    url: '/v2/accounts/{account_id}/statistics/transactional/deliverability';
};

export type StatisticsDeliverabilityErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type StatisticsDeliverabilityError = StatisticsDeliverabilityErrors[keyof StatisticsDeliverabilityErrors];

export type StatisticsDeliverabilityResponses = {
    /**
     * Every bucket of the range, ascending.
     */
    200: DeliverabilityBucketList;
};

export type StatisticsDeliverabilityResponse = StatisticsDeliverabilityResponses[keyof StatisticsDeliverabilityResponses];

export type StatisticsBounceData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Inclusive. Default: 30 days before `to_time`.
         */
        from_time?: string;
        /**
         * Exclusive. Default: now.
         */
        to_time?: string;
        /**
         * Sending domains of the account, separated by commas, up to 100. Default: all that the key may read.
         */
        sender_domain?: string;
        /**
         * Domains of recipients, separated by commas. Default: all.
         */
        recipient_domains?: string;
        /**
         * Messages with any of these tags, separated by commas, up to 20.
         */
        tags?: string;
        /**
         * Length of a bucket. Weeks begin on Monday. At most 1,000 buckets.
         */
        group_by?: 'hour' | 'day' | 'week' | 'month';
    };
    url: '/v2/accounts/{account_id}/statistics/transactional/bounce';
};

export type StatisticsBounceErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type StatisticsBounceError = StatisticsBounceErrors[keyof StatisticsBounceErrors];

export type StatisticsBounceResponses = {
    /**
     * Every bucket of the range, ascending.
     */
    200: BounceBucketList;
};

export type StatisticsBounceResponse = StatisticsBounceResponses[keyof StatisticsBounceResponses];

export type StatisticsDeliveryTimeData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Inclusive. Default: 30 days before `to_time`.
         */
        from_time?: string;
        /**
         * Exclusive. Default: now.
         */
        to_time?: string;
        /**
         * Sending domains of the account, separated by commas, up to 100. Default: all that the key may read.
         */
        sender_domain?: string;
        /**
         * Domains of recipients, separated by commas. Default: all.
         */
        recipient_domains?: string;
        /**
         * Messages with any of these tags, separated by commas, up to 20.
         */
        tags?: string;
        /**
         * Length of a bucket. Weeks begin on Monday. At most 1,000 buckets.
         */
        group_by?: 'hour' | 'day' | 'week' | 'month';
    };
    url: '/v2/accounts/{account_id}/statistics/transactional/delivery-time';
};

export type StatisticsDeliveryTimeErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type StatisticsDeliveryTimeError = StatisticsDeliveryTimeErrors[keyof StatisticsDeliveryTimeErrors];

export type StatisticsDeliveryTimeResponses = {
    /**
     * Every bucket of the range, ascending.
     */
    200: DeliveryTimeBucketList;
};

export type StatisticsDeliveryTimeResponse = StatisticsDeliveryTimeResponses[keyof StatisticsDeliveryTimeResponses];

export type WebhooksListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only webhooks with this value.
         */
        enabled?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_reception?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_delivered?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_transient_error?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_failed?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_bounced?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_suppressed?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_opened?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_clicked?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_suppression_created?: boolean;
        /**
         * Only webhooks with this value.
         */
        on_dns_error?: boolean;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/webhooks';
};

export type WebhooksListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksListError = WebhooksListErrors[keyof WebhooksListErrors];

export type WebhooksListResponses = {
    /**
     * One page of webhooks.
     */
    200: WebhookPage;
};

export type WebhooksListResponse = WebhooksListResponses[keyof WebhooksListResponses];

export type WebhooksCreateData = {
    body: WebhooksCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/webhooks';
};

export type WebhooksCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksCreateError = WebhooksCreateErrors[keyof WebhooksCreateErrors];

export type WebhooksCreateResponses = {
    /**
     * The new webhook with its secret.
     */
    201: NewWebhook;
};

export type WebhooksCreateResponse = WebhooksCreateResponses[keyof WebhooksCreateResponses];

export type WebhooksDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the webhook.
         */
        webhook_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/webhooks/{webhook_id}';
};

export type WebhooksDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksDeleteError = WebhooksDeleteErrors[keyof WebhooksDeleteErrors];

export type WebhooksDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type WebhooksDeleteResponse = WebhooksDeleteResponses[keyof WebhooksDeleteResponses];

export type WebhooksGetData = {
    body?: never;
    path: {
        /**
         * Id of the webhook.
         */
        webhook_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/webhooks/{webhook_id}';
};

export type WebhooksGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksGetError = WebhooksGetErrors[keyof WebhooksGetErrors];

export type WebhooksGetResponses = {
    /**
     * The webhook.
     */
    200: Webhook;
};

export type WebhooksGetResponse = WebhooksGetResponses[keyof WebhooksGetResponses];

export type WebhooksUpdateData = {
    body: WebhooksUpdateBody;
    path: {
        /**
         * Id of the webhook.
         */
        webhook_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/webhooks/{webhook_id}';
};

export type WebhooksUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksUpdateError = WebhooksUpdateErrors[keyof WebhooksUpdateErrors];

export type WebhooksUpdateResponses = {
    /**
     * The webhook after the change.
     */
    200: Webhook;
};

export type WebhooksUpdateResponse = WebhooksUpdateResponses[keyof WebhooksUpdateResponses];

export type WebhooksTriggerData = {
    body: WebhooksTriggerBody;
    path: {
        /**
         * Id of the webhook.
         */
        webhook_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/webhooks/{webhook_id}/trigger';
};

export type WebhooksTriggerErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksTriggerError = WebhooksTriggerErrors[keyof WebhooksTriggerErrors];

export type WebhooksTriggerResponses = {
    /**
     * The calls are queued.
     */
    202: Message;
};

export type WebhooksTriggerResponse = WebhooksTriggerResponses[keyof WebhooksTriggerResponses];

export type WebhooksRecoverData = {
    body?: WebhooksRecoverBody;
    path: {
        /**
         * Id of the webhook.
         */
        webhook_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/webhooks/{webhook_id}/recover';
};

export type WebhooksRecoverErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type WebhooksRecoverError = WebhooksRecoverErrors[keyof WebhooksRecoverErrors];

export type WebhooksRecoverResponses = {
    /**
     * The recovery has started.
     */
    202: Message;
};

export type WebhooksRecoverResponse = WebhooksRecoverResponses[keyof WebhooksRecoverResponses];

export type RoutesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only routes of this recipient domain. A key with domain scopes has to name one of its domains.
         */
        domain?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/routes';
};

export type RoutesListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesListError = RoutesListErrors[keyof RoutesListErrors];

export type RoutesListResponses = {
    /**
     * One page of routes.
     */
    200: RoutePage;
};

export type RoutesListResponse = RoutesListResponses[keyof RoutesListResponses];

export type RoutesCreateData = {
    body: RoutesCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/routes';
};

export type RoutesCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesCreateError = RoutesCreateErrors[keyof RoutesCreateErrors];

export type RoutesCreateResponses = {
    /**
     * The new route with its secret.
     */
    201: NewRoute;
};

export type RoutesCreateResponse = RoutesCreateResponses[keyof RoutesCreateResponses];

export type RoutesDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the route.
         */
        route_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/routes/{route_id}';
};

export type RoutesDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesDeleteError = RoutesDeleteErrors[keyof RoutesDeleteErrors];

export type RoutesDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type RoutesDeleteResponse = RoutesDeleteResponses[keyof RoutesDeleteResponses];

export type RoutesGetData = {
    body?: never;
    path: {
        /**
         * Id of the route.
         */
        route_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/routes/{route_id}';
};

export type RoutesGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesGetError = RoutesGetErrors[keyof RoutesGetErrors];

export type RoutesGetResponses = {
    /**
     * The route.
     */
    200: Route;
};

export type RoutesGetResponse = RoutesGetResponses[keyof RoutesGetResponses];

export type RoutesUpdateData = {
    body: RoutesUpdateBody;
    path: {
        /**
         * Id of the route.
         */
        route_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/routes/{route_id}';
};

export type RoutesUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesUpdateError = RoutesUpdateErrors[keyof RoutesUpdateErrors];

export type RoutesUpdateResponses = {
    /**
     * The route after the change.
     */
    200: Route;
};

export type RoutesUpdateResponse = RoutesUpdateResponses[keyof RoutesUpdateResponses];

export type RoutesTriggerData = {
    body?: RoutesTriggerBody;
    path: {
        /**
         * Id of the route.
         */
        route_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/routes/{route_id}/trigger';
};

export type RoutesTriggerErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesTriggerError = RoutesTriggerErrors[keyof RoutesTriggerErrors];

export type RoutesTriggerResponses = {
    /**
     * The call is queued.
     */
    202: Message;
};

export type RoutesTriggerResponse = RoutesTriggerResponses[keyof RoutesTriggerResponses];

export type RoutesRecoverData = {
    body?: RoutesRecoverBody;
    path: {
        /**
         * Id of the route.
         */
        route_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/routes/{route_id}/recover';
};

export type RoutesRecoverErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type RoutesRecoverError = RoutesRecoverErrors[keyof RoutesRecoverErrors];

export type RoutesRecoverResponses = {
    /**
     * The recovery has started.
     */
    202: Message;
};

export type RoutesRecoverResponse = RoutesRecoverResponses[keyof RoutesRecoverResponses];

export type ContactsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Exactly this address, in any spelling.
         */
        email?: string;
        /**
         * Only contacts with this status.
         */
        status?: 'enabled' | 'disabled' | 'blocked';
        /**
         * `true`: those that are not unsubscribed.
         */
        subscribed?: boolean;
        /**
         * Only those that were created at this time or later.
         */
        from_time?: string;
        /**
         * Only those that were created at this time or before.
         */
        to_time?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/contacts';
};

export type ContactsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsListError = ContactsListErrors[keyof ContactsListErrors];

export type ContactsListResponses = {
    /**
     * One page of contacts.
     */
    200: ContactPage;
};

export type ContactsListResponse = ContactsListResponses[keyof ContactsListResponses];

export type ContactsCreateData = {
    body: ContactsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/contacts';
};

export type ContactsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsCreateError = ContactsCreateErrors[keyof ContactsCreateErrors];

export type ContactsCreateResponses = {
    /**
     * The new contact.
     */
    201: Contact;
};

export type ContactsCreateResponse = ContactsCreateResponses[keyof ContactsCreateResponses];

export type ContactsDeleteData = {
    body?: never;
    path: {
        /**
         * A contact: its id, or its address, percent-encoded once.
         */
        id_or_email: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/contacts/{id_or_email}';
};

export type ContactsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsDeleteError = ContactsDeleteErrors[keyof ContactsDeleteErrors];

export type ContactsDeleteResponses = {
    /**
     * It is deleted.
     */
    200: Message;
};

export type ContactsDeleteResponse = ContactsDeleteResponses[keyof ContactsDeleteResponses];

export type ContactsGetData = {
    body?: never;
    path: {
        /**
         * A contact: its id, or its address, percent-encoded once.
         */
        id_or_email: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/contacts/{id_or_email}';
};

export type ContactsGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsGetError = ContactsGetErrors[keyof ContactsGetErrors];

export type ContactsGetResponses = {
    /**
     * The contact.
     */
    200: Contact;
};

export type ContactsGetResponse = ContactsGetResponses[keyof ContactsGetResponses];

export type ContactsUpdateData = {
    body: ContactsUpdateBody;
    path: {
        /**
         * A contact: its id, or its address, percent-encoded once.
         */
        id_or_email: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/contacts/{id_or_email}';
};

export type ContactsUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsUpdateError = ContactsUpdateErrors[keyof ContactsUpdateErrors];

export type ContactsUpdateResponses = {
    /**
     * The contact after the change.
     */
    200: Contact;
};

export type ContactsUpdateResponse = ContactsUpdateResponses[keyof ContactsUpdateResponses];

export type ContactsBatchData = {
    body: ContactsBatchBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/contacts/batch';
};

export type ContactsBatchErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsBatchError = ContactsBatchErrors[keyof ContactsBatchErrors];

export type ContactsBatchResponses = {
    /**
     * The result of each entry, in their order.
     */
    200: ContactBatchResult;
};

export type ContactsBatchResponse = ContactsBatchResponses[keyof ContactsBatchResponses];

export type ContactsListListsData = {
    body?: never;
    path: {
        /**
         * A contact: its id, or its address, percent-encoded once.
         */
        id_or_email: string;
    };
    query?: {
        /**
         * Only memberships with this status.
         */
        subscription_status?: 'unconfirmed' | 'confirmed' | 'unsubscribed' | 'complained';
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/contacts/{id_or_email}/lists';
};

export type ContactsListListsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ContactsListListsError = ContactsListListsErrors[keyof ContactsListListsErrors];

export type ContactsListListsResponses = {
    /**
     * One page of memberships, each with its list.
     */
    200: ContactListMembershipPage;
};

export type ContactsListListsResponse = ContactsListListsResponses[keyof ContactsListListsResponses];

export type ListsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Lists whose name contains this text, in any letter case.
         */
        name?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/lists';
};

export type ListsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsListError = ListsListErrors[keyof ListsListErrors];

export type ListsListResponses = {
    /**
     * One page of lists.
     */
    200: ContactListPage;
};

export type ListsListResponse = ListsListResponses[keyof ListsListResponses];

export type ListsCreateData = {
    body: ListsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/lists';
};

export type ListsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsCreateError = ListsCreateErrors[keyof ListsCreateErrors];

export type ListsCreateResponses = {
    /**
     * The new list.
     */
    201: ContactList;
};

export type ListsCreateResponse = ListsCreateResponses[keyof ListsCreateResponses];

export type ListsDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/lists/{list_id}';
};

export type ListsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsDeleteError = ListsDeleteErrors[keyof ListsDeleteErrors];

export type ListsDeleteResponses = {
    /**
     * The list is deleted.
     */
    200: Message;
};

export type ListsDeleteResponse = ListsDeleteResponses[keyof ListsDeleteResponses];

export type ListsGetData = {
    body?: never;
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/lists/{list_id}';
};

export type ListsGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsGetError = ListsGetErrors[keyof ListsGetErrors];

export type ListsGetResponses = {
    /**
     * The list.
     */
    200: ContactList;
};

export type ListsGetResponse = ListsGetResponses[keyof ListsGetResponses];

export type ListsUpdateData = {
    body: ListsUpdateBody;
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/lists/{list_id}';
};

export type ListsUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsUpdateError = ListsUpdateErrors[keyof ListsUpdateErrors];

export type ListsUpdateResponses = {
    /**
     * The list as it is now.
     */
    200: ContactList;
};

export type ListsUpdateResponse = ListsUpdateResponses[keyof ListsUpdateResponses];

export type ListsListContactsData = {
    body?: never;
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
    };
    query?: {
        /**
         * Only memberships with this status.
         */
        subscription_status?: 'unconfirmed' | 'confirmed' | 'unsubscribed' | 'complained';
        /**
         * Only the member with this address.
         */
        email?: string;
        /**
         * Shows the whole contact of each member. Needs the scope `contacts:read`, too.
         */
        include_contacts?: boolean;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/lists/{list_id}/contacts';
};

export type ListsListContactsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsListContactsError = ListsListContactsErrors[keyof ListsListContactsErrors];

export type ListsListContactsResponses = {
    /**
     * One page of memberships.
     */
    200: ListMemberPage;
};

export type ListsListContactsResponse = ListsListContactsResponses[keyof ListsListContactsResponses];

export type ListsRemoveContactData = {
    body?: never;
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
        /**
         * A contact: its id, or its address, percent-encoded once.
         */
        id_or_email: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}';
};

export type ListsRemoveContactErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsRemoveContactError = ListsRemoveContactErrors[keyof ListsRemoveContactErrors];

export type ListsRemoveContactResponses = {
    /**
     * The contact is not on the list.
     */
    200: Message;
};

export type ListsRemoveContactResponse = ListsRemoveContactResponses[keyof ListsRemoveContactResponses];

export type ListsPutContactData = {
    body: ListsPutContactBody;
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
        /**
         * A contact: its id, or its address, percent-encoded once.
         */
        id_or_email: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}';
};

export type ListsPutContactErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsPutContactError = ListsPutContactErrors[keyof ListsPutContactErrors];

export type ListsPutContactResponses = {
    /**
     * The membership.
     */
    200: ListContact;
};

export type ListsPutContactResponse = ListsPutContactResponses[keyof ListsPutContactResponses];

export type ListsAddContactsData = {
    body: ListsAddContactsBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the list.
         */
        list_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/lists/{list_id}/contacts/batch';
};

export type ListsAddContactsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type ListsAddContactsError = ListsAddContactsErrors[keyof ListsAddContactsErrors];

export type ListsAddContactsResponses = {
    /**
     * The result of each entry.
     */
    200: AddedContacts;
};

export type ListsAddContactsResponse = ListsAddContactsResponses[keyof ListsAddContactsResponses];

export type CampaignsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Any of these: the parameter may be repeated.
         */
        status?: Array<'draft' | 'validating' | 'waiting_for_review' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'>;
        /**
         * Part of the name, in upper or lower case.
         */
        name?: string;
        /**
         * Only campaigns that were created at this time or later.
         */
        from_time?: string;
        /**
         * Only campaigns that were created at this time or earlier.
         */
        to_time?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/campaigns';
};

export type CampaignsListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsListError = CampaignsListErrors[keyof CampaignsListErrors];

export type CampaignsListResponses = {
    /**
     * A page of campaigns.
     */
    200: CampaignListItemPage;
};

export type CampaignsListResponse = CampaignsListResponses[keyof CampaignsListResponses];

export type CampaignsCreateData = {
    body: CampaignsCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns';
};

export type CampaignsCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsCreateError = CampaignsCreateErrors[keyof CampaignsCreateErrors];

export type CampaignsCreateResponses = {
    /**
     * The draft.
     */
    201: Campaign;
};

export type CampaignsCreateResponse = CampaignsCreateResponses[keyof CampaignsCreateResponses];

export type CampaignsDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}';
};

export type CampaignsDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsDeleteError = CampaignsDeleteErrors[keyof CampaignsDeleteErrors];

export type CampaignsDeleteResponses = {
    /**
     * Deleted.
     */
    200: Message;
};

export type CampaignsDeleteResponse = CampaignsDeleteResponses[keyof CampaignsDeleteResponses];

export type CampaignsGetData = {
    body?: never;
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}';
};

export type CampaignsGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsGetError = CampaignsGetErrors[keyof CampaignsGetErrors];

export type CampaignsGetResponses = {
    /**
     * The campaign.
     */
    200: Campaign;
};

export type CampaignsGetResponse = CampaignsGetResponses[keyof CampaignsGetResponses];

export type CampaignsUpdateData = {
    body: CampaignsUpdateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}';
};

export type CampaignsUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsUpdateError = CampaignsUpdateErrors[keyof CampaignsUpdateErrors];

export type CampaignsUpdateResponses = {
    /**
     * The campaign.
     */
    200: Campaign;
};

export type CampaignsUpdateResponse = CampaignsUpdateResponses[keyof CampaignsUpdateResponses];

export type CampaignsDuplicateData = {
    body?: CampaignsDuplicateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/duplicate';
};

export type CampaignsDuplicateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsDuplicateError = CampaignsDuplicateErrors[keyof CampaignsDuplicateErrors];

export type CampaignsDuplicateResponses = {
    /**
     * The copy.
     */
    201: Campaign;
};

export type CampaignsDuplicateResponse = CampaignsDuplicateResponses[keyof CampaignsDuplicateResponses];

export type CampaignsSendData = {
    body?: CampaignsSendBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/send';
};

export type CampaignsSendErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsSendError = CampaignsSendErrors[keyof CampaignsSendErrors];

export type CampaignsSendResponses = {
    /**
     * The campaign, which is being checked.
     */
    200: Campaign;
};

export type CampaignsSendResponse = CampaignsSendResponses[keyof CampaignsSendResponses];

export type CampaignsUnscheduleData = {
    body?: never;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/unschedule';
};

export type CampaignsUnscheduleErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsUnscheduleError = CampaignsUnscheduleErrors[keyof CampaignsUnscheduleErrors];

export type CampaignsUnscheduleResponses = {
    /**
     * The draft.
     */
    200: Campaign;
};

export type CampaignsUnscheduleResponse = CampaignsUnscheduleResponses[keyof CampaignsUnscheduleResponses];

export type CampaignsTestSendData = {
    body: CampaignsTestSendBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/test-send';
};

export type CampaignsTestSendErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsTestSendError = CampaignsTestSendErrors[keyof CampaignsTestSendErrors];

export type CampaignsTestSendResponses = {
    /**
     * One result per address.
     */
    202: CampaignTestResultList;
};

export type CampaignsTestSendResponse = CampaignsTestSendResponses[keyof CampaignsTestSendResponses];

export type CampaignsPreviewData = {
    body?: CampaignsPreviewBody;
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/preview';
};

export type CampaignsPreviewErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsPreviewError = CampaignsPreviewErrors[keyof CampaignsPreviewErrors];

export type CampaignsPreviewResponses = {
    /**
     * The message.
     */
    200: MessagePreview;
};

export type CampaignsPreviewResponse = CampaignsPreviewResponses[keyof CampaignsPreviewResponses];

export type CampaignsStatsData = {
    body?: never;
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/stats';
};

export type CampaignsStatsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsStatsError = CampaignsStatsErrors[keyof CampaignsStatsErrors];

export type CampaignsStatsResponses = {
    /**
     * The counters of the campaign.
     */
    200: CampaignStats;
};

export type CampaignsStatsResponse = CampaignsStatsResponses[keyof CampaignsStatsResponses];

export type CampaignsRecipientsData = {
    body?: never;
    path: {
        /**
         * Id of the campaign.
         */
        campaign_id: string;
    };
    query?: {
        /**
         * Only recipients with this status.
         */
        status?: 'pending' | 'queued' | 'deferred' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'skipped' | 'canceled';
        /**
         * Only the recipient with this address.
         */
        email?: string;
        /**
         * Whether the recipient opened the message.
         */
        opened?: boolean;
        /**
         * Whether the recipient clicked a link.
         */
        clicked?: boolean;
        /**
         * Whether the recipient unsubscribed by this message.
         */
        unsubscribed?: boolean;
        /**
         * Whether the recipient reported this message as spam.
         */
        complained?: boolean;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/campaigns/{campaign_id}/recipients';
};

export type CampaignsRecipientsErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignsRecipientsError = CampaignsRecipientsErrors[keyof CampaignsRecipientsErrors];

export type CampaignsRecipientsResponses = {
    /**
     * One page of recipients.
     */
    200: CampaignRecipientPage;
};

export type CampaignsRecipientsResponse = CampaignsRecipientsResponses[keyof CampaignsRecipientsResponses];

export type CampaignTemplatesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Templates whose name contains this text, in any letter case.
         */
        name?: string;
        /**
         * Most items on the page.
         */
        limit?: number;
        /**
         * `pagination.next_cursor` of the page before. Not together with `before`.
         */
        after?: string;
        /**
         * `pagination.previous_cursor` of the page after. Not together with `after`.
         */
        before?: string;
    };
    url: '/v2/accounts/{account_id}/campaign-templates';
};

export type CampaignTemplatesListErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignTemplatesListError = CampaignTemplatesListErrors[keyof CampaignTemplatesListErrors];

export type CampaignTemplatesListResponses = {
    /**
     * One page.
     */
    200: CampaignTemplateListItemPage;
};

export type CampaignTemplatesListResponse = CampaignTemplatesListResponses[keyof CampaignTemplatesListResponses];

export type CampaignTemplatesCreateData = {
    body: CampaignTemplatesCreateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v2/accounts/{account_id}/campaign-templates';
};

export type CampaignTemplatesCreateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignTemplatesCreateError = CampaignTemplatesCreateErrors[keyof CampaignTemplatesCreateErrors];

export type CampaignTemplatesCreateResponses = {
    /**
     * The new template.
     */
    201: CampaignTemplate;
};

export type CampaignTemplatesCreateResponse = CampaignTemplatesCreateResponses[keyof CampaignTemplatesCreateResponses];

export type CampaignTemplatesDeleteData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaign-templates/{template_id}';
};

export type CampaignTemplatesDeleteErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignTemplatesDeleteError = CampaignTemplatesDeleteErrors[keyof CampaignTemplatesDeleteErrors];

export type CampaignTemplatesDeleteResponses = {
    /**
     * It is gone.
     */
    200: Message;
};

export type CampaignTemplatesDeleteResponse = CampaignTemplatesDeleteResponses[keyof CampaignTemplatesDeleteResponses];

export type CampaignTemplatesGetData = {
    body?: never;
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaign-templates/{template_id}';
};

export type CampaignTemplatesGetErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignTemplatesGetError = CampaignTemplatesGetErrors[keyof CampaignTemplatesGetErrors];

export type CampaignTemplatesGetResponses = {
    /**
     * The template.
     */
    200: CampaignTemplate;
};

export type CampaignTemplatesGetResponse = CampaignTemplatesGetResponses[keyof CampaignTemplatesGetResponses];

export type CampaignTemplatesUpdateData = {
    body: CampaignTemplatesUpdateBody;
    headers?: {
        /**
         * Makes a retry safe: the first request with a key runs, the same request again gets the same response.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the template.
         */
        template_id: string;
    };
    query?: never;
    url: '/v2/accounts/{account_id}/campaign-templates/{template_id}';
};

export type CampaignTemplatesUpdateErrors = {
    /**
     * The request is not as this document says; `message` names the first thing that is wrong.
     */
    400: Error;
    /**
     * - `missing or malformed bearer token`
     * - `invalid API key`, also for the key of another account
     * - `account is suspended`
     */
    401: Error;
    /**
     * - `Request rejected by the API key IP allow list`
     * - The key lacks the scope: `WWW-Authenticate` names those that would do.
     */
    403: Error;
    /**
     * The account has nothing of that name or id.
     */
    404: Error;
    /**
     * `request body arrives too slowly`
     */
    408: Error;
    /**
     * The request conflicts with the state of the resource.
     */
    409: Error;
    /**
     * `request body is too large`
     */
    413: Error;
    /**
     * `content type must be application/json`
     */
    415: Error;
    /**
     * `idempotency key was already used with a different request payload`
     */
    422: Error;
    /**
     * `Too many requests, rate limited.`
     */
    429: Error;
    /**
     * `internal server error`
     */
    500: Error;
    /**
     * A part of the service is away for a moment. Nothing was done that a retry would repeat.
     */
    503: Error;
};

export type CampaignTemplatesUpdateError = CampaignTemplatesUpdateErrors[keyof CampaignTemplatesUpdateErrors];

export type CampaignTemplatesUpdateResponses = {
    /**
     * The template.
     */
    200: CampaignTemplate;
};

export type CampaignTemplatesUpdateResponse = CampaignTemplatesUpdateResponses[keyof CampaignTemplatesUpdateResponses];

export type CallsMessageReceptionWebhookPayload = MessageReceptionEvent;

export type CallsMessageReceptionWebhookRequest = {
    body: CallsMessageReceptionWebhookPayload;
    key: 'message.reception';
    path?: never;
    query?: never;
};

export type CallsMessageDeliveredWebhookPayload = MessageDeliveredEvent;

export type CallsMessageDeliveredWebhookRequest = {
    body: CallsMessageDeliveredWebhookPayload;
    key: 'message.delivered';
    path?: never;
    query?: never;
};

export type CallsMessageTransientErrorWebhookPayload = MessageTransientErrorEvent;

export type CallsMessageTransientErrorWebhookRequest = {
    body: CallsMessageTransientErrorWebhookPayload;
    key: 'message.transient_error';
    path?: never;
    query?: never;
};

export type CallsMessageFailedWebhookPayload = MessageFailedEvent;

export type CallsMessageFailedWebhookRequest = {
    body: CallsMessageFailedWebhookPayload;
    key: 'message.failed';
    path?: never;
    query?: never;
};

export type CallsMessageBouncedWebhookPayload = MessageBouncedEvent;

export type CallsMessageBouncedWebhookRequest = {
    body: CallsMessageBouncedWebhookPayload;
    key: 'message.bounced';
    path?: never;
    query?: never;
};

export type CallsMessageSuppressedWebhookPayload = MessageSuppressedEvent;

export type CallsMessageSuppressedWebhookRequest = {
    body: CallsMessageSuppressedWebhookPayload;
    key: 'message.suppressed';
    path?: never;
    query?: never;
};

export type CallsMessageOpenedWebhookPayload = MessageOpenedEvent;

export type CallsMessageOpenedWebhookRequest = {
    body: CallsMessageOpenedWebhookPayload;
    key: 'message.opened';
    path?: never;
    query?: never;
};

export type CallsMessageClickedWebhookPayload = MessageClickedEvent;

export type CallsMessageClickedWebhookRequest = {
    body: CallsMessageClickedWebhookPayload;
    key: 'message.clicked';
    path?: never;
    query?: never;
};

export type CallsSuppressionCreatedWebhookPayload = SuppressionCreatedEvent;

export type CallsSuppressionCreatedWebhookRequest = {
    body: CallsSuppressionCreatedWebhookPayload;
    key: 'suppression.created';
    path?: never;
    query?: never;
};

export type CallsDomainDnsErrorWebhookPayload = DomainDnsErrorEvent;

export type CallsDomainDnsErrorWebhookRequest = {
    body: CallsDomainDnsErrorWebhookPayload;
    key: 'domain.dns_error';
    path?: never;
    query?: never;
};

export type CallsMessageRoutingWebhookPayload = RouteCall;

export type CallsMessageRoutingWebhookRequest = {
    body: CallsMessageRoutingWebhookPayload;
    key: 'message.routing';
    path?: never;
    query?: never;
};
