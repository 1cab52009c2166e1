export { chunksOf, type LineChunk } from './chunks.js';
export { csvFields, csvRecord, delimiterMark, delimiterOf, readCsvColumns, type Delimiter } from './csv.js';
export { readLines, type FileLine } from './file-lines.js';
export { IMPORT_FORMATS, ImportRows, importView, lineError } from './import-rows.js';
export type { BatchResult, ImportFormat, LineError, LineImport } from './import-rows.js';
export { IMPORT_SWEEPS, ImportProblem, ImportRuns } from './import-runs.js';
export { jsonObject, recordAt, recordFields } from './records.js';
export { FileUpload, storeUpload } from './store-upload.js';
export type { UploadedFile } from './store-upload.js';
