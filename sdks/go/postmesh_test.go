package postmesh_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	postmesh "github.com/postmesh/postmesh/sdks/go"
)

const account = "0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0"

var send = postmesh.MessagesSendBody{
	From:       postmesh.MessagesSendBodyFrom{Email: "news@shop.test"},
	Recipients: []postmesh.MessagesSendBodyRecipientItem{{Email: "ann@mail.test"}},
	Subject:    "Hi",
}

// asked is a request as the server got it.
type asked struct {
	method, url, key, body string
	header                 http.Header
	at                     time.Time
}

// server gives answers, one after the other; the last one stays.
type server struct {
	answers []func(*http.Request) (*http.Response, error)
	asked   []asked
}

func (s *server) RoundTrip(request *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(request.Body)
	key := request.Header.Get("Idempotency-Key")
	s.asked = append(s.asked, asked{request.Method, request.URL.String(), key, string(body), request.Header, time.Now()})
	return s.answers[min(len(s.asked), len(s.answers))-1](request)
}

func lost(*http.Request) (*http.Response, error) { return nil, errors.New("connection reset") }

func answer(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		for i := 0; i < len(header); i += 2 {
			response.Header.Set(header[i], header[i+1])
		}
		return response, nil
	}
}

var sent = answer(202, `{"object":"list","data":[{"object":"message","id":"<1@shop.test>","status":"queued"}]}`)

func clientOf(t *testing.T, retries postmesh.Retries, answers ...func(*http.Request) (*http.Response, error)) (*postmesh.Client, *server) {
	t.Helper()
	server := &server{answers: answers}
	client, err := postmesh.New(postmesh.Options{
		BaseURL: "https://mail.test/", APIKey: "key", AccountID: account, Retries: retries, HTTPClient: &http.Client{Transport: server},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

func equal[T comparable](t *testing.T, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%v, wanted %v", got, wanted)
	}
}

func TestRequestHasKeyAccountAndBody(t *testing.T) {
	client, server := clientOf(t, postmesh.Retries{}, sent)
	result, err := client.Messages.Send(context.Background(), send, postmesh.WithField("reply_to", nil))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.Data[0].ID, "<1@shop.test>")
	one := server.asked[0]
	equal(t, one.method+" "+one.url, "POST https://mail.test/v2/accounts/"+account+"/messages")
	equal(t, one.header.Get("Authorization"), "Bearer key")
	equal(t, one.header.Get("Content-Type"), "application/json")
	equal(t, one.body, `{"from":{"email":"news@shop.test"},"recipients":[{"email":"ann@mail.test"}],"reply_to":null,"subject":"Hi"}`)
}

func TestRequestLeavesOutWhatIsZeroAndKeepsWhatIsFalse(t *testing.T) {
	body, _ := json.Marshal(postmesh.MessagesSendBodyTracking{Open: postmesh.Ptr(false)})
	equal(t, string(body), `{"open":false}`)
	body, _ = json.Marshal(postmesh.CampaignsUpdateBody{ListIds: &[]string{}})
	equal(t, string(body), `{"list_ids":[]}`)
	client, server := clientOf(t, postmesh.Retries{}, answer(200, `{}`))
	if _, err := client.Campaigns.Duplicate(context.Background(), "1", nil); err != nil {
		t.Fatal(err)
	}
	equal(t, server.asked[0].body, "")
	equal(t, server.asked[0].header.Get("Content-Type"), "")
}

func TestRequestEscapesPathAndQuery(t *testing.T) {
	client, server := clientOf(t, postmesh.Retries{}, answer(200, `{}`))
	ctx := context.Background()
	client.Contacts.Get(ctx, "a/b <c>@mail.test")
	client.Messages.List(ctx, &postmesh.MessagesListParams{Subject: "a&b", Limit: postmesh.Ptr(5), FromTime: time.Unix(0, 0).UTC()})
	client.Campaigns.List(ctx, &postmesh.CampaignsListParams{Status: []string{"draft", "sent"}})
	_, err := client.Contacts.Delete(ctx, "")
	equal(t, err.Error(), "postmesh: id_or_email is empty")
	equal(t, len(server.asked), 3)
	for i, end := range []string{
		"/contacts/a%2Fb%20%3Cc%3E@mail.test",
		"/messages?from_time=1970-01-01T00%3A00%3A00Z&limit=5&subject=a%26b",
		"/campaigns?status=draft&status=sent",
	} {
		if !strings.HasSuffix(server.asked[i].url, end) {
			t.Errorf("%s does not end with %s", server.asked[i].url, end)
		}
	}
}

func TestClientNeedsAddressKeyAndAccount(t *testing.T) {
	t.Setenv("POSTMESH_BASE_URL", "")
	_, err := postmesh.New(postmesh.Options{APIKey: "key", AccountID: account})
	if err == nil || !strings.Contains(err.Error(), "POSTMESH_BASE_URL") {
		t.Error(err)
	}
}

func TestKeyIsNewForEachCallAndTheSameInItsTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := clientOf(t, postmesh.Retries{}, lost, answer(503, ""), sent)
		client.Messages.Send(t.Context(), send)
		client.Messages.Send(t.Context(), send, postmesh.WithIdempotencyKey("order-17"))
		client.Domains.CheckDNS(t.Context(), "shop.test")
		keys := []string{}
		for _, one := range server.asked {
			keys = append(keys, one.key)
		}
		if len(keys[0]) < 20 || !slices.Equal(keys, []string{keys[0], keys[0], keys[0], "order-17", ""}) {
			t.Error(keys)
		}
	})
}

func TestRetriesEndAfterMaxTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := clientOf(t, postmesh.Retries{MaxTries: 3}, answer(503, `{"message":"busy"}`))
		_, err := client.Messages.Send(t.Context(), send)
		var failed *postmesh.APIError
		if !errors.As(err, &failed) || failed.Status != 503 || failed.Message != "busy" {
			t.Error(err)
		}
		equal(t, len(server.asked), 3)
		client, _ = clientOf(t, postmesh.Retries{MaxTries: 2}, lost)
		_, err = client.Ping(t.Context())
		var none *postmesh.NoResponseError
		if !errors.As(err, &none) || none.Tries != 2 {
			t.Error(err)
		}
	})
}

func TestRetriesObeyRetryAfterAndEndBeforeAWaitBeyondMaxTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := answer(429, "", "Retry-After", "7")
		client, server := clientOf(t, postmesh.Retries{}, limited, sent)
		if _, err := client.Messages.Send(t.Context(), send); err != nil {
			t.Fatal(err)
		}
		waited := server.asked[1].at.Sub(server.asked[0].at)
		if waited < 7*time.Second || waited > 7500*time.Millisecond {
			t.Error(waited)
		}
		client, server = clientOf(t, postmesh.Retries{MaxTime: 5 * time.Second}, limited)
		_, err := client.Messages.Send(t.Context(), send)
		var failed *postmesh.APIError
		if !errors.As(err, &failed) || failed.RetryAfter != 7*time.Second {
			t.Error(err)
		}
		equal(t, len(server.asked), 1)
	})
}

func TestRetriesOfAPostWithoutKeyComeAfter429Alone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, one := range []struct {
			first func(*http.Request) (*http.Response, error)
			count int
		}{{lost, 1}, {answer(503, ""), 1}, {answer(429, ""), 2}} {
			client, server := clientOf(t, postmesh.Retries{}, one.first, answer(200, `{}`))
			client.Domains.CheckDNS(t.Context(), "shop.test")
			equal(t, len(server.asked), one.count)
		}
	})
}

func TestRetriesWaitForTheFirstRequestOfTheKeyWithoutItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := answer(409, "", "Retry-After", "300", "Idempotent-Replayed", "false")
		client, server := clientOf(t, postmesh.Retries{}, busy, busy, sent)
		if _, err := client.Messages.Send(t.Context(), send); err != nil {
			t.Error(err)
		}
		equal(t, len(server.asked), 3)
		client, server = clientOf(t, postmesh.Retries{}, answer(409, "", "Idempotent-Replayed", "true"))
		client.Messages.Send(t.Context(), send)
		equal(t, len(server.asked), 1)
	})
}

type brokenBody struct{ io.Reader }

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
func (brokenBody) Close() error             { return nil }

func TestRetriesComeAfterABodyThatBreaksOffAndATryThatHangsNotAfterTheCallerGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 202, Body: brokenBody{}}, nil
		}
		client, server := clientOf(t, postmesh.Retries{}, broken, sent)
		if _, err := client.Messages.Send(t.Context(), send); err != nil {
			t.Error(err)
		}
		equal(t, len(server.asked), 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		client, server = clientOf(t, postmesh.Retries{}, func(request *http.Request) (*http.Response, error) { cancel(enough); return lost(request) })
		if _, err := client.Domains.CheckDNS(ctx, "shop.test"); err != enough {
			t.Error(err)
		}
		equal(t, len(server.asked), 1)
		hangs := func(request *http.Request) (*http.Response, error) {
			<-request.Context().Done()
			return nil, request.Context().Err()
		}
		client, server = clientOf(t, postmesh.Retries{TryTime: time.Minute}, hangs, sent)
		if _, err := client.Messages.Send(t.Context(), send); err != nil {
			t.Error(err)
		}
		if waited := server.asked[1].at.Sub(server.asked[0].at); waited < time.Minute || waited > time.Minute+time.Second {
			t.Error(waited)
		}
	})
}

func TestErrorsNameTheScopeAndSurviveThePageOfAProxy(t *testing.T) {
	ctx := context.Background()
	scope := `Bearer error="insufficient_scope", scope="domains:read"`
	client, _ := clientOf(t, postmesh.Retries{}, answer(403, `{"message":"why"}`, "WWW-Authenticate", scope, "X-Request-Id", "r-1"))
	_, err := client.Domains.List(ctx, nil)
	var failed *postmesh.APIError
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	equal(t, *failed, postmesh.APIError{Status: 403, Message: "why", RequestID: "r-1", RequiredScope: "domains:read"})
	client, _ = clientOf(t, postmesh.Retries{MaxTries: 1}, answer(502, "<html>"))
	_, err = client.Domains.List(ctx, nil)
	equal(t, err.Error(), "postmesh: Bad Gateway (status 502)")
}

func page(ids string, next string) func(*http.Request) (*http.Response, error) {
	items := []string{}
	for _, id := range ids {
		items = append(items, `{"id":"`+string(id)+`"}`)
	}
	at := `{"has_more":false,"next_cursor":null}`
	if next != "" {
		at = `{"has_more":true,"next_cursor":"` + next + `"}`
	}
	return answer(200, `{"object":"list","data":[`+strings.Join(items, ",")+`],"pagination":`+at+`}`)
}

func TestPagesComeAsTheyAreAskedFor(t *testing.T) {
	client, server := clientOf(t, postmesh.Retries{}, page("ab", "c1"), page("c", "c2"), page("d", ""))
	seen := ""
	all := client.Lists.All(context.Background(), &postmesh.ListsListParams{Name: "n"})
	for list, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		if seen += list.ID; seen == "ab" {
			equal(t, len(server.asked), 1)
		}
	}
	equal(t, seen, "abcd")
	for i, query := range []string{"?name=n", "?after=c1&name=n", "?after=c2&name=n"} {
		if !strings.HasSuffix(server.asked[i].url, query) {
			t.Error(server.asked[i].url)
		}
	}
	for range all {
		break
	}
	if !strings.HasSuffix(server.asked[3].url, "?name=n") {
		t.Error("a second walk begins anew:", server.asked[3].url)
	}
}

func TestPagesEndWhenTheNextOneIsTheSame(t *testing.T) {
	client, server := clientOf(t, postmesh.Retries{}, page("a", "c1"))
	var last error
	for _, err := range client.Lists.All(context.Background(), nil) {
		last = err
	}
	equal(t, last.Error(), "postmesh: the next page is the same")
	equal(t, len(server.asked), 2)
}
