import { Module } from '@nestjs/common';
import { ListsModule } from '../lists/lists.module.js';
import { UnsubscribeModule } from '../unsubscribe/unsubscribe.module.js';
import { ContactPreferencesController } from './contact-preferences.controller.js';
import { ContactPreferences } from './preferences.js';
import { PublicLists } from './public-lists.js';
import { PublicListsController } from './public-lists.controller.js';
import { PublicPreferencesController } from './public-preferences.controller.js';

/** The preference centre of contacts. */
@Module({
  imports: [ListsModule, UnsubscribeModule],
  controllers: [ContactPreferencesController, PublicListsController, PublicPreferencesController],
  providers: [PublicLists, ContactPreferences],
})
export class PreferencesModule {}
