export { csvFields, csvRecord, readCsvColumns, recordLines } from './csv.js';
export { IMPORT_FORMATS, ImportRows, importView, lineError } from './import-rows.js';
export type { BatchResult, ImportFormat, ImportTables, LineError, LineImport } from './import-rows.js';
export { ImportProblem, ImportRuns } from './import-runs.js';
export type { ImportWork } from './import-runs.js';
export { jsonObject } from './json-object.js';
export type { LineChunk, LineLimits } from './lines.js';
export { storeUpload, uploadOf } from './store-upload.js';
export type { Upload } from './store-upload.js';
