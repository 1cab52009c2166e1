package postmesh_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	postmesh "github.com/postmesh/postmesh/sdks/go"
)

// the test vector of the contract
const (
	secret = "em-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI"
	event  = `{"type":"message.delivered","timestamp":"2025-12-31T23:59:59Z","webhook_id":"5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10","data":{"account_id":"0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0","event":"on_delivered","from":"news@shop.test","recipient":"ann@mail.test","subject":"Your order","message_id_header":"<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>","is_bot":false,"id":"01980f3e5b7a7c11a2d40c5f9e6b8a01","delivery_attempt":{"smtp_code":250,"enhanced_status_code":"2.0.0","response":"OK queued","command":"DATA"}}}`
)

func headers(change ...string) http.Header {
	header := http.Header{}
	header.Set("webhook-id", "msg_01980f3e5b7a7c11a2d40c5f9e6b8a01")
	header.Set("webhook-timestamp", "1767225600")
	header.Set("webhook-signature", "v1,9XkPJShZwm1o1G7FdG12safYE/t54k3JUCecVUmsjtw=")
	for i := 0; i < len(change); i += 2 {
		header.Set(change[i], change[i+1])
	}
	return header
}

// at runs a test at a moment that is so far from the timestamp of the call.
func at(t *testing.T, away time.Duration, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Unix(1767225600, 0).Add(away)))
		test(t)
	})
}

func TestWebhookCallIsTaken(t *testing.T) {
	at(t, 0, func(t *testing.T) {
		for _, header := range []http.Header{headers(), headers("webhook-signature", "v1,AAAA v2,x "+headers().Get("webhook-signature"))} {
			got, err := postmesh.VerifyWebhook(secret, header, []byte(event))
			delivered, isIt := got.(*postmesh.MessageDeliveredEvent)
			if err != nil || !isIt || delivered.Data.Recipient != "ann@mail.test" {
				t.Error(got, err)
			}
		}
	})
}

func TestWebhookCallIsRefused(t *testing.T) {
	at(t, 0, func(t *testing.T) {
		for _, one := range []struct {
			secret string
			header http.Header
			body   string
		}{
			{secret, headers(), event + " "},
			{secret[9:], headers(), event},
			{"", headers(), event},
			{secret, headers("webhook-id", "msg_2"), event},
			{secret, headers("webhook-signature", "v1,"), event},
			{secret, headers("webhook-signature", ""), event},
			{secret, headers("webhook-timestamp", "1e9"), event},
			{secret, headers("webhook-timestamp", "-1"), event},
		} {
			if _, err := postmesh.VerifyWebhook(one.secret, one.header, []byte(one.body)); !errors.Is(err, postmesh.ErrWebhookVerification) {
				t.Error(one, err)
			}
		}
	})
}

func TestWebhookCallMayBeFiveMinutesAway(t *testing.T) {
	for away, isTaken := range map[time.Duration]bool{
		-300 * time.Second: true, 300 * time.Second: true, -301 * time.Second: false, 301 * time.Second: false,
	} {
		at(t, away, func(t *testing.T) {
			if _, err := postmesh.VerifyWebhook(secret, headers(), []byte(event)); (err == nil) != isTaken {
				t.Error(away, err)
			}
		})
	}
}

func TestWebhookCallOfANewerServerIsTakenAsItIs(t *testing.T) {
	at(t, 0, func(t *testing.T) {
		body := `{"type":"message.new_kind"}`
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(headers().Get("webhook-id") + ".1767225600." + body))
		signed := headers("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		got, err := postmesh.VerifyWebhook(secret, signed, []byte(body))
		unknown, isIt := got.(*postmesh.UnknownEvent)
		if err != nil || !isIt || unknown.Type != "message.new_kind" || string(unknown.Body) != body {
			t.Error(got, err)
		}
	})
}
