package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/resend/resend-go/v3"
)

var resendCalls = map[string]func(Mail) Outcome{
	"files":    resendFiles,
	"again":    resendAgain,
	"batch":    resendBatch,
	"template": resendTemplate,
	"schedule": resendSchedule,
	"contacts": resendContacts,
	"errors":   resendErrors,
}

func resendClient(mail Mail, key string) *resend.Client {
	client := resend.NewClient(key)
	client.BaseURL = must(url.Parse(mail.URL + "/"))
	return client
}

func resendEmail(mail Mail) *resend.SendEmailRequest {
	return &resend.SendEmailRequest{From: mail.From, To: []string{mail.To}, Subject: mail.Subject, Text: "Hi"}
}

// The SDK keeps the message of an error only.
func resendFailure(err error) Failure { return Failure{Message: err.Error()} }

func resendFiles(mail Mail) Outcome {
	email := resendEmail(mail)
	email.Html = fmt.Sprintf(html, "logo")
	email.Cc, email.Bcc, email.ReplyTo = []string{mail.Cc}, []string{mail.Bcc}, replies
	email.Headers = map[string]string{orderKey: "17"}
	email.Tags = []resend.Tag{{Name: "kind", Value: "receipt"}}
	email.Attachments = []*resend.Attachment{
		{Filename: "logo.png", Content: mail.picture(), ContentId: "logo"},
		{Filename: "invoice.pdf", Content: mail.invoice()},
	}
	sent := must(resendClient(mail, mail.Secret).Emails.Send(email))
	return Outcome{IDs: []string{sent.Id}}
}

func resendAgain(mail Mail) Outcome {
	emails, options := resendClient(mail, mail.Secret).Emails, &resend.SendEmailOptions{IdempotencyKey: mail.Key}
	send := func(subject string) (*resend.SendEmailResponse, error) {
		email := resendEmail(mail)
		email.Subject = subject
		return emails.SendWithOptions(context.Background(), email, options)
	}
	first, second := must(send("One")), must(send("One"))
	_, err := send("Other")
	return Outcome{IDs: []string{first.Id, second.Id}, Errors: []Failure{resendFailure(err)}}
}

func resendBatch(mail Mail) Outcome {
	var emails []*resend.SendEmailRequest
	for _, to := range mail.Several {
		email := resendEmail(mail)
		email.To = []string{to}
		emails = append(emails, email)
	}
	var outcome Outcome
	for _, one := range must(resendClient(mail, mail.Secret).Batch.Send(emails)).Data {
		outcome.IDs = append(outcome.IDs, one.Id)
	}
	return outcome
}

func resendTemplate(mail Mail) Outcome {
	email := resendEmail(mail)
	email.Text = ""
	email.Template = &resend.EmailTemplate{Id: mail.Template, Variables: map[string]any{"code": "991"}}
	return Outcome{IDs: []string{must(resendClient(mail, mail.Secret).Emails.Send(email)).Id}}
}

func resendSchedule(mail Mail) Outcome {
	client, email := resendClient(mail, mail.Secret), resendEmail(mail)
	email.ScheduledAt = mail.At
	sent := must(client.Emails.Send(email))
	must(client.Emails.Cancel(sent.Id))
	return Outcome{IDs: []string{sent.Id}}
}

func resendContacts(mail Mail) Outcome {
	client := resendClient(mail, mail.Secret)
	segment := must(client.Segments.Create(&resend.CreateSegmentRequest{Name: mail.Key})).Id
	contact := &resend.CreateContactRequest{AudienceId: segment, Email: mail.To, FirstName: "Ann"}
	id := must(client.Contacts.Create(contact)).Id
	change := &resend.UpdateContactRequest{AudienceId: segment, Id: id}
	change.SetUnsubscribed(true)
	must(client.Contacts.Update(change))
	outcome := Outcome{}
	read := must(client.Contacts.Get(&resend.GetContactOptions{AudienceId: segment, Id: mail.To}))
	outcome.IDs = append(outcome.IDs, read.Id)
	for _, one := range must(client.Contacts.List(&resend.ListContactsOptions{AudienceId: segment})).Data {
		outcome.IDs = append(outcome.IDs, one.Id)
	}
	must(client.Contacts.Remove(&resend.RemoveContactOptions{AudienceId: segment, Id: mail.To}))
	_, err := client.Contacts.Get(&resend.GetContactOptions{AudienceId: segment, Id: id})
	must(client.Segments.Remove(segment))
	outcome.Errors = []Failure{resendFailure(err)}
	return outcome
}

func resendErrors(mail Mail) Outcome {
	_, stranger := resendClient(mail, unknown).Emails.Send(resendEmail(mail))
	email := resendEmail(mail)
	email.ScheduledAt = "in an hour"
	_, words := resendClient(mail, mail.Secret).Emails.Send(email)
	return Outcome{Errors: []Failure{resendFailure(stranger), resendFailure(words)}}
}
