// Code generated from docs/openapi.json; DO NOT EDIT.

package postmesh

// Services are the operations of the API, by family.
type Services struct {
	PingService
	Messages          MessagesService
	Templates         TemplatesService
	Domains           DomainsService
	Suppressions      SuppressionsService
	Statistics        StatisticsService
	Webhooks          WebhooksService
	Routes            RoutesService
	Contacts          ContactsService
	Lists             ListsService
	Campaigns         CampaignsService
	CampaignTemplates CampaignTemplatesService
	SMTPCredentials   SMTPCredentialsService
	Account           AccountService
	Members           MembersService
	APIKeys           APIKeysService
	SubAccounts       SubAccountsService
	SubAccountAPIKeys SubAccountAPIKeysService
}

func servicesOf(client *Client) Services {
	return Services{
		PingService:       PingService{client},
		Messages:          MessagesService{client},
		Templates:         TemplatesService{client},
		Domains:           DomainsService{client},
		Suppressions:      SuppressionsService{client},
		Statistics:        StatisticsService{client},
		Webhooks:          WebhooksService{client},
		Routes:            RoutesService{client},
		Contacts:          ContactsService{client},
		Lists:             ListsService{client},
		Campaigns:         CampaignsService{client},
		CampaignTemplates: CampaignTemplatesService{client},
		SMTPCredentials:   SMTPCredentialsService{client},
		Account:           AccountService{client},
		Members:           MembersService{client},
		APIKeys:           APIKeysService{client},
		SubAccounts:       SubAccountsService{client},
		SubAccountAPIKeys: SubAccountAPIKeysService{client},
	}
}

// PingService is a family of operations.
type PingService struct{ client *Client }

// MessagesService is a family of operations.
type MessagesService struct{ client *Client }

// TemplatesService is a family of operations.
type TemplatesService struct{ client *Client }

// DomainsService is a family of operations.
type DomainsService struct{ client *Client }

// SuppressionsService is a family of operations.
type SuppressionsService struct{ client *Client }

// StatisticsService is a family of operations.
type StatisticsService struct{ client *Client }

// WebhooksService is a family of operations.
type WebhooksService struct{ client *Client }

// RoutesService is a family of operations.
type RoutesService struct{ client *Client }

// ContactsService is a family of operations.
type ContactsService struct{ client *Client }

// ListsService is a family of operations.
type ListsService struct{ client *Client }

// CampaignsService is a family of operations.
type CampaignsService struct{ client *Client }

// CampaignTemplatesService is a family of operations.
type CampaignTemplatesService struct{ client *Client }

// SMTPCredentialsService is a family of operations.
type SMTPCredentialsService struct{ client *Client }

// AccountService is a family of operations.
type AccountService struct{ client *Client }

// MembersService is a family of operations.
type MembersService struct{ client *Client }

// APIKeysService is a family of operations.
type APIKeysService struct{ client *Client }

// SubAccountsService is a family of operations.
type SubAccountsService struct{ client *Client }

// SubAccountAPIKeysService is a family of operations.
type SubAccountAPIKeysService struct{ client *Client }
