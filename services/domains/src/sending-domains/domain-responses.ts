import { Inject, Injectable } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import { isLocalMode, LOCAL_MODE, type Settings } from '@postmesh/settings';
import { domainResource, type DomainResult } from './domain.resource.js';

/** The warning of local mode for a domain; undefined: it is off. */
export const localNotice = (settings: Settings): string | undefined =>
  isLocalMode(settings)
    ? `${LOCAL_MODE}; local-internet publishes the records of every domain, so its check says nothing about real DNS`
    : undefined;

/** Responses with one domain. In local mode a header warns about the check of its records. */
@Injectable()
export class DomainResponses {
  private readonly headers: Record<string, string>;

  constructor(@Inject(SETTINGS) settings: Settings) {
    const notice = localNotice(settings);
    this.headers = notice === undefined ? {} : { 'postmesh-notice': notice };
  }

  readonly found = (result: DomainResult): ApiResponse => this.showing(200, result);
  readonly created = (result: DomainResult): ApiResponse => this.showing(201, result);

  private showing(status: number, result: DomainResult): ApiResponse {
    return { ...apiResponse(status, domainResource(result)), headers: this.headers };
  }
}
