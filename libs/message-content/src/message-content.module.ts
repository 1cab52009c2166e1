import { Injectable, Module, type FactoryProvider, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { TemplateRenderer } from '@postmesh/templates';
import { RecipientMessages } from './recipient-messages.js';

/** Renders in threads of its own, until nothing asks any more. */
@Injectable()
export class MessageRenderer extends TemplateRenderer implements OnApplicationShutdown {
  constructor() {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

const RECIPIENT_MESSAGES: FactoryProvider<RecipientMessages> = {
  provide: RecipientMessages,
  inject: [MessageRenderer, SETTINGS],
  useFactory: (renderer: MessageRenderer, settings: Settings) => new RecipientMessages(renderer, settings),
};

/** The one renderer of a service, and the messages that are made with it. */
@Module({
  providers: [MessageRenderer, RECIPIENT_MESSAGES],
  exports: [MessageRenderer, RecipientMessages],
})
export class MessageContentModule {}
