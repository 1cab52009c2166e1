export type { LineChunk } from './chunks.js';
export { csvRecord, readCsvColumns, type Delimiter } from './csv.js';
export { IMPORT_FORMATS, ImportRows, importView, lineError } from './import-rows.js';
export type { BatchResult, ImportFormat, LineError, LineImport } from './import-rows.js';
export { IMPORT_SWEEPS, ImportProblem, ImportRuns } from './import-runs.js';
export { jsonObject, recordAt, recordFields } from './records.js';
export { FileUpload, storeUpload } from './store-upload.js';
export type { UploadedFile } from './store-upload.js';
