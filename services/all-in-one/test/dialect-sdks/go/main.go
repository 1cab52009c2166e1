// One call of an unmodified SDK of another service: `calls PACKAGE CALL`, with the mail as JSON on standard input. Prints
// the ids of what was accepted, and the errors.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
)

// Mail is what a test asks for.
type Mail struct {
	URL, Secret, Domain, From, Address, To, Cc, Bcc, Subject, Key, Template, At string
	Picture, Invoice                                                            string
	Several                                                                     []string
	Seconds                                                                     int
	Access                                                                      AccessKey
}

// AccessKey signs the requests of SES.
type AccessKey struct {
	ID     string `json:"access_key_id"`
	Secret string `json:"secret_access_key"`
}

// Failure is an error as an SDK has it.
type Failure struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// Outcome of a call.
type Outcome struct {
	IDs      []string  `json:"ids"`
	Errors   []Failure `json:"errors,omitempty"`
	Contents []string  `json:"contents,omitempty"`
}

const (
	html     = `<p>Hi <img src="cid:%s"></p>`
	unknown  = "unknown"
	replies  = "help@shop.test"
	orderKey = "X-Order"
)

var packages = map[string]map[string]func(Mail) Outcome{
	"resend":   resendCalls,
	"sendgrid": sendgridCalls,
	"postmark": postmarkCalls,
	"mailgun":  mailgunCalls,
	"ses":      sesCalls,
}

func main() {
	var mail Mail
	check(json.NewDecoder(os.Stdin).Decode(&mail))
	outcome := packages[os.Args[1]][os.Args[2]](mail)
	check(json.NewEncoder(os.Stdout).Encode(outcome))
}

func check(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func (mail Mail) picture() []byte { return must(base64.StdEncoding.DecodeString(mail.Picture)) }
func (mail Mail) invoice() []byte { return must(base64.StdEncoding.DecodeString(mail.Invoice)) }
