package postmesh

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	key    string
	fields map[string]any
}

// WithIdempotencyKey makes a repeat of your whole job safe, for 24 hours. Each call of an operation that takes a key has a new
// one otherwise.
func WithIdempotencyKey(key string) CallOption {
	return func(options *callOptions) { options.key = key }
}

// WithField sets a field of the body: to nil where that means something, or one that only a newer server has.
func WithField(name string, value any) CallOption {
	return func(options *callOptions) { options.fields[name] = value }
}

// operation of the API document. ids are names of the path's parameters, each before its value.
type operation struct {
	method, path string
	ids          []string
	keyed        bool
}

func call[T any](ctx context.Context, client *Client, op operation, params, body any, given []CallOption) (*T, error) {
	options := callOptions{fields: map[string]any{}}
	for _, option := range given {
		option(&options)
	}
	path := strings.Replace(op.path, "{account_id}", url.PathEscape(client.accountID), 1)
	for i := 0; i < len(op.ids); i += 2 {
		if op.ids[i+1] == "" {
			return nil, fmt.Errorf("postmesh: %s is empty", op.ids[i])
		}
		path = strings.Replace(path, "{"+op.ids[i]+"}", url.PathEscape(op.ids[i+1]), 1)
	}
	if query := queryOf(params).Encode(); query != "" {
		path += "?" + query
	}
	content, err := contentOf(body, options.fields)
	if err != nil {
		return nil, err
	}
	key := ""
	if op.keyed {
		if key = options.key; key == "" {
			key = rand.Text()
		}
	}
	response, err := client.send(ctx, request{op.method, client.baseURL + path, content, key})
	if err != nil {
		return nil, err
	}
	result := new(T)
	if err := json.Unmarshal(response, result); err != nil {
		return nil, fmt.Errorf("postmesh: response of %s %s: %w", op.method, op.path, err)
	}
	return result, nil
}

// optionalBody is nil as an interface when there is no body.
func optionalBody[T any](body *T) any {
	if body == nil {
		return nil
	}
	return body
}

// queryOf reads the form tags of a struct; what is zero is left out.
func queryOf(params any) url.Values {
	query := url.Values{}
	value := reflect.ValueOf(params)
	if !value.IsValid() || value.IsNil() {
		return query
	}
	value = value.Elem()
	for i := range value.NumField() {
		field := value.Field(i)
		if field.IsZero() {
			continue
		}
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("form"), ",")
		switch one := reflect.Indirect(field).Interface().(type) {
		case time.Time:
			query.Set(name, one.Format(time.RFC3339Nano))
		case []string:
			query[name] = one
		default:
			query.Set(name, fmt.Sprint(one))
		}
	}
	return query
}

func contentOf(body any, fields map[string]any) ([]byte, error) {
	if body == nil && len(fields) == 0 {
		return nil, nil
	}
	content, err := json.Marshal(body)
	if err != nil || len(fields) == 0 {
		return content, err
	}
	all := map[string]any{}
	if body != nil {
		var known map[string]json.RawMessage
		if err := json.Unmarshal(content, &known); err != nil {
			return nil, err
		}
		for name, value := range known {
			all[name] = value
		}
	}
	for name, value := range fields {
		all[name] = value
	}
	return json.Marshal(all)
}

type request struct {
	method, url string
	body        []byte
	key         string
}

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// send sends a request until there is a response that another try would not better. A request that may be repeated (it is no
// POST, or has an idempotency key) is sent again after a lost connection, 408 and 5xx; any request after 429, which comes before
// anything is done. Waits are random below a bound that doubles, and as long as Retry-After at least.
func (c *Client) send(ctx context.Context, request request) ([]byte, error) {
	mayRepeat := request.method != http.MethodPost || request.key != ""
	end := time.Now().Add(c.retries.MaxTime)
	for tries := 1; ; tries++ {
		response, body, err := c.tryOnce(ctx, request, min(c.retries.TryTime, time.Until(end)))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil && response.StatusCode >= 200 && response.StatusCode < 300 {
			return body, nil
		}
		pause, another := pauseBefore(response, err, tries, mayRepeat)
		if !another || tries >= c.retries.MaxTries || time.Until(end) <= pause {
			if err != nil {
				return nil, &NoResponseError{Tries: tries, Err: err}
			}
			return nil, errorOf(response, body)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// tryOnce returns the response with its whole body, or why there is none.
func (c *Client) tryOnce(ctx context.Context, request request, limit time.Duration) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	try, err := http.NewRequestWithContext(ctx, request.method, request.url, bytes.NewReader(request.body))
	if err != nil {
		return nil, nil, err
	}
	try.Header.Set("Authorization", "Bearer "+c.apiKey)
	try.Header.Set("User-Agent", "postmesh-go/"+Version)
	if request.body != nil {
		try.Header.Set("Content-Type", "application/json")
	}
	if request.key != "" {
		try.Header.Set("Idempotency-Key", request.key)
	}
	response, err := c.http.Do(try)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

// pauseBefore says how long to wait, and whether another try is of use and could not do it twice.
func pauseBefore(response *http.Response, err error, tries int, mayRepeat bool) (time.Duration, bool) {
	pause := time.Duration(mathrand.Float64() * float64(min(longestWait, firstWait<<(min(tries, 10)-1))))
	if err != nil {
		return pause, mayRepeat
	}
	switch response.StatusCode {
	case 408, 500, 502, 503, 504:
		if !mayRepeat {
			return 0, false
		}
	case 429:
	case 409:
		// The first request with this key still runs. Retry-After is the end of its lease: it will be done long before.
		return pause, response.Header.Get("Idempotent-Replayed") == "false"
	default:
		return 0, false
	}
	if asked := retryAfterOf(response.Header); asked > 0 {
		return asked + time.Duration(mathrand.Float64()*float64(firstWait)), true
	}
	return pause, true
}
