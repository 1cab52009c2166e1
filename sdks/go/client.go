// Package postmesh sends email with Postmesh, the open-source email delivery service: the whole API with types, retries that
// send once, and webhook signatures.
package postmesh

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// Version is the version of the server whose API document made this SDK.
const Version = "0.1.0"

// Options of a client. What is left out comes from the environment.
type Options struct {
	// BaseURL is https://mail.example.com, without /v2; else POSTMESH_BASE_URL.
	BaseURL string
	// APIKey is a key of the account; else POSTMESH_API_KEY.
	APIKey string
	// AccountID is the account that the key belongs to; else POSTMESH_ACCOUNT_ID.
	AccountID string
	Retries   Retries
	// HTTPClient instead of one with Go's default transport: proxies, tests. Its redirects are not followed.
	HTTPClient *http.Client
}

// Retries are the bounds of the tries of one request. Zero is the default.
type Retries struct {
	// MaxTries counts the first one too: 6.
	MaxTries int
	// MaxTime is from the first try to the last response: 2 minutes.
	MaxTime time.Duration
	// TryTime is for one try: 30 seconds.
	TryTime time.Duration
}

// Client has the operations of the API, by family: client.Messages.Send(…). It may be used by many goroutines.
type Client struct {
	Services
	baseURL   string
	apiKey    string
	accountID string
	retries   Retries
	http      *http.Client
}

// New makes a client. It fails when address, key or account is missing.
func New(options Options) (*Client, error) {
	client := &Client{retries: options.Retries}
	for _, one := range []struct {
		to              *string
		given, variable string
	}{
		{&client.baseURL, options.BaseURL, "POSTMESH_BASE_URL"},
		{&client.apiKey, options.APIKey, "POSTMESH_API_KEY"},
		{&client.accountID, options.AccountID, "POSTMESH_ACCOUNT_ID"},
	} {
		*one.to = one.given
		if one.given == "" {
			*one.to = os.Getenv(one.variable)
		}
		if *one.to == "" {
			return nil, fmt.Errorf("postmesh: give it in Options, or set %s", one.variable)
		}
	}
	client.baseURL = strings.TrimRight(client.baseURL, "/")
	if client.retries.MaxTries == 0 {
		client.retries.MaxTries = 6
	}
	if client.retries.MaxTime == 0 {
		client.retries.MaxTime = 2 * time.Minute
	}
	if client.retries.TryTime == 0 {
		client.retries.TryTime = 30 * time.Second
	}
	client.http = &http.Client{}
	if options.HTTPClient != nil {
		*client.http = *options.HTTPClient
	}
	client.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Services = servicesOf(client)
	return client, nil
}

// Ptr is for fields that are left out when they are nil: Tracking{Open: postmesh.Ptr(false)}.
func Ptr[T any](value T) *T { return &value }
