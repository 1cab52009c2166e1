import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Hands on what a handler threw. Nest's own filter turns it into "Internal server error", and with it goes the kind
 * of the failure, on which redelivery or burial depends.
 */
@Catch()
export class OriginalErrorsFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
