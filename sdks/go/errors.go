package postmesh

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// APIError is a response that is not 2xx. Message is for people; programs look at Status.
type APIError struct {
	// Status is 400, 413, 415: the request has to change · 401 · 403 · 404 · 409: it exists already, its state does not allow
	// this, or a request with the same key is in progress · 422: the idempotency key belongs to another request · 429 and 5xx,
	// after all retries.
	Status  int
	Message string
	// RequestID is the response's x-request-id: name it when you ask for help.
	RequestID string
	// RetryAfter is zero when the response has none.
	RetryAfter time.Duration
	// RequiredScope has the scopes that would do, in a 403 for want of one.
	RequiredScope string
}

func (e *APIError) Error() string {
	return fmt.Sprintf("postmesh: %s (status %d)", e.Message, e.Status)
}

// NoResponseError is that there was no response within the bounds of the retries. The request may have been done: the same
// idempotency key finds out.
type NoResponseError struct {
	Tries int
	Err   error
}

func (e *NoResponseError) Error() string {
	return fmt.Sprintf("postmesh: no response after %d tries: %v", e.Tries, e.Err)
}

func (e *NoResponseError) Unwrap() error { return e.Err }

// ErrWebhookVerification is a webhook call whose signature or timestamp does not fit: answer with 400.
var ErrWebhookVerification = errors.New("postmesh: webhook call is not genuine")

var scopeOf = regexp.MustCompile(`scope="([^"]*)"`)

func errorOf(response *http.Response, body []byte) *APIError {
	result := &APIError{
		Status:     response.StatusCode,
		Message:    http.StatusText(response.StatusCode),
		RequestID:  response.Header.Get("X-Request-Id"),
		RetryAfter: retryAfterOf(response.Header),
	}
	// every error of the API is {"message": "…"}; a proxy before it has pages of its own
	var known struct{ Message string }
	if json.Unmarshal(body, &known) == nil && known.Message != "" {
		result.Message = known.Message
	}
	if found := scopeOf.FindStringSubmatch(response.Header.Get("WWW-Authenticate")); found != nil {
		result.RequiredScope = found[1]
	}
	return result
}

// retryAfterOf reads seconds, or a date (RFC 9110 §10.2.3).
func retryAfterOf(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
