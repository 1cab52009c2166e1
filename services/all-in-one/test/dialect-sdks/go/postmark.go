package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mrz1836/postmark"
)

var postmarkCalls = map[string]func(Mail) Outcome{
	"files":     postmarkFiles,
	"batch":     postmarkBatch,
	"template":  postmarkTemplate,
	"templates": postmarkTemplates,
	"errors":    postmarkErrors,
}

func postmarkClient(mail Mail, key string) *postmark.Client {
	client := postmark.NewClient(key, "")
	client.BaseURL = mail.URL
	return client
}

func postmarkEmail(mail Mail, to string) postmark.Email {
	return postmark.Email{From: mail.From, To: to, Subject: mail.Subject, TextBody: "Hi"}
}

func postmarkFailure(err error) Failure {
	var api postmark.APIError
	errors.As(err, &api)
	return Failure{Status: int(api.ErrorCode), Message: api.Message}
}

func postmarkFiles(mail Mail) Outcome {
	email := postmarkEmail(mail, mail.To)
	email.HTMLBody = fmt.Sprintf(html, "logo")
	email.Cc, email.Bcc, email.ReplyTo, email.Tag = mail.Cc, mail.Bcc, replies, "kind:receipt"
	email.Headers = []postmark.Header{{Name: orderKey, Value: "17"}}
	email.Attachments = []postmark.Attachment{
		{Name: "logo.png", Content: mail.Picture, ContentType: "image/png", ContentID: "cid:logo"},
		{Name: "invoice.pdf", Content: mail.Invoice, ContentType: "application/pdf"},
	}
	sent := must(postmarkClient(mail, mail.Secret).SendEmail(context.Background(), email))
	return Outcome{IDs: []string{sent.MessageID}}
}

func postmarkBatch(mail Mail) Outcome {
	var emails []postmark.Email
	for _, to := range mail.Several {
		emails = append(emails, postmarkEmail(mail, to))
	}
	var outcome Outcome
	for _, one := range must(postmarkClient(mail, mail.Secret).SendEmailBatch(context.Background(), emails)) {
		outcome.IDs = append(outcome.IDs, one.MessageID)
	}
	return outcome
}

func postmarkTemplate(mail Mail) Outcome {
	email := postmark.TemplatedEmail{
		From: mail.From, To: mail.To, TemplateAlias: mail.Template,
		TemplateModel: map[string]any{"code": "991"},
	}
	sent := must(postmarkClient(mail, mail.Secret).SendTemplatedEmail(context.Background(), email))
	return Outcome{IDs: []string{sent.MessageID}}
}

// The list of the SDK has ids that are numbers, which ours are not: the template is read by its alias.
func postmarkTemplates(mail Mail) Outcome {
	client := postmarkClient(mail, mail.Secret)
	listed, _, err := client.GetTemplates(context.Background(), 100, 0)
	check(err)
	read := must(client.GetTemplate(context.Background(), mail.Template))
	outcome := Outcome{Contents: []string{read.HTMLBody}}
	for range listed {
		outcome.IDs = append(outcome.IDs, mail.Template)
	}
	return outcome
}

func postmarkErrors(mail Mail) Outcome {
	email := postmarkEmail(mail, mail.To)
	_, stranger := postmarkClient(mail, unknown).SendEmail(context.Background(), email)
	email.MessageStream = "news"
	_, stream := postmarkClient(mail, mail.Secret).SendEmail(context.Background(), email)
	return Outcome{Errors: []Failure{postmarkFailure(stranger), postmarkFailure(stream)}}
}
