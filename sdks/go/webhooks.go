package postmesh

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookTolerance is how far the timestamp of a call may be from now.
const webhookTolerance = 5 * time.Minute

var events = map[string]func() any{
	"domain.dns_error":        func() any { return new(DomainDNSErrorEvent) },
	"message.bounced":         func() any { return new(MessageBouncedEvent) },
	"message.clicked":         func() any { return new(MessageClickedEvent) },
	"message.delivered":       func() any { return new(MessageDeliveredEvent) },
	"message.failed":          func() any { return new(MessageFailedEvent) },
	"message.opened":          func() any { return new(MessageOpenedEvent) },
	"message.reception":       func() any { return new(MessageReceptionEvent) },
	"message.routing":         func() any { return new(RouteCall) },
	"message.suppressed":      func() any { return new(MessageSuppressedEvent) },
	"message.transient_error": func() any { return new(MessageTransientErrorEvent) },
	"suppression.created":     func() any { return new(SuppressionCreatedEvent) },
}

// UnknownEvent is of a type that only a newer server knows.
type UnknownEvent struct {
	Type string
	Body json.RawMessage
}

// VerifyWebhook checks signature and timestamp (five minutes) of a webhook or route call. secret is as it was handed out, prefix
// included; body is what arrived. The same Webhook-Id may come again: take it once. The event is a *MessageBouncedEvent,
// another …Event, a *RouteCall or an *UnknownEvent.
func VerifyWebhook(secret string, header http.Header, body []byte) (any, error) {
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	if secret == "" || id == "" {
		return nil, fmt.Errorf("%w: the secret or Webhook-Id is empty", ErrWebhookVerification)
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return nil, fmt.Errorf("%w: Webhook-Timestamp is no number", ErrWebhookVerification)
	}
	if time.Since(time.Unix(int64(seconds), 0)).Abs() > webhookTolerance {
		return nil, fmt.Errorf("%w: Webhook-Timestamp is more than %v away", ErrWebhookVerification, webhookTolerance)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	wanted := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for signature := range strings.SplitSeq(header.Get("Webhook-Signature"), " ") {
		if hmac.Equal([]byte(signature), wanted) {
			return eventOf(body)
		}
	}
	return nil, fmt.Errorf("%w: Webhook-Signature does not fit", ErrWebhookVerification)
}

func eventOf(body []byte) (any, error) {
	var known struct{ Type string }
	if err := json.Unmarshal(body, &known); err != nil {
		return nil, err
	}
	make, isKnown := events[known.Type]
	if !isKnown {
		return &UnknownEvent{Type: known.Type, Body: body}, nil
	}
	event := make()
	return event, json.Unmarshal(body, event)
}
