import { Module } from '@nestjs/common';
import { RefusedRequests } from './refused-requests.js';

@Module({ providers: [RefusedRequests], exports: [RefusedRequests] })
export class RefusedRequestsModule {}
