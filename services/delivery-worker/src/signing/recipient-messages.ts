import { Injectable, type FactoryProvider, type OnApplicationShutdown } from '@nestjs/common';
import { RecipientMessages } from '@postmesh/message-content';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { TemplateRenderer } from '@postmesh/templates';

/** Renders messages in threads of its own until the last attempt has ended. */
@Injectable()
export class MessageRenderer extends TemplateRenderer implements OnApplicationShutdown {
  constructor() {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

export const RECIPIENT_MESSAGES: FactoryProvider<RecipientMessages> = {
  provide: RecipientMessages,
  inject: [MessageRenderer, SETTINGS],
  useFactory: (renderer: MessageRenderer, settings: Settings) => new RecipientMessages(renderer, settings),
};
