import { SystemMailContent, SystemMailRequested } from '@postmesh/accounts-contract';
import { recordEvents, type RecordedEvents, type TestService } from '@postmesh/service-testing';

type Requested = ReturnType<typeof SystemMailRequested.parse>['data'];
export type RequestedMail = Requested & SystemMailContent;

/** Consumes requests for mail like the messages service. */
export class ReceivedMail {
  private constructor(
    private readonly received: RecordedEvents<Requested>,
    private readonly service: TestService,
  ) {}

  static async of(service: TestService): Promise<ReceivedMail> {
    const received = await recordEvents(service.bus, {
      streams: ['accounts'],
      pick: (event) =>
        event.type === SystemMailRequested.type ? SystemMailRequested.parse(event).data : undefined,
    });
    return new ReceivedMail(received, service);
  }

  /** Waits for `count` messages of one kind to an account, oldest first. */
  async expect(accountId: string, kind: string, count: number): Promise<RequestedMail[]> {
    const found = () =>
      this.received.events.filter((mail) => mail.account_id === accountId && mail.kind === kind);
    const mails = await this.received.until(() => {
      if (found().length > count) throw new Error(`${found().length} messages of kind ${kind}, not ${count}`);
      return found().length === count && found();
    });
    const contents = await this.service.context.blobs.get(mails.map((mail) => mail.content_id));
    return mails.map((mail) => ({
      ...mail,
      ...SystemMailContent.parse(JSON.parse(String(contents.get(mail.content_id)))),
    }));
  }
}
