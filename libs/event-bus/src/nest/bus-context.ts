import { BaseRpcContext } from '@nestjs/microservices';

/** What a handler may ask about its batch: `@Ctx() context: BusContext`. */
export class BusContext extends BaseRpcContext<[group: string, pattern: string]> {
  get group(): string {
    return this.getArgByIndex(0);
  }

  get pattern(): string {
    return this.getArgByIndex(1);
  }
}
