import { Module } from '@nestjs/common';
import { ForgetRefusedRequests } from './forget-refused-requests.js';
import { RequestLogController } from './request-log.controller.js';
import { StoreRefusedRequests } from './store-refused-requests.js';

@Module({
  controllers: [RequestLogController],
  providers: [ForgetRefusedRequests, StoreRefusedRequests],
})
export class RequestLogModule {}
