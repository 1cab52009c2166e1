// Parts of the document of the dialects: each has a key in another header, so each is a run of its own.

/** @returns {any} the document of one dialect */
export function documentOf(whole, dialect) {
  const paths = Object.entries(/** @type {any} */ (whole).paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).filter(([, { tags }]) => tags.includes(dialect))),
  ]);
  return {
    ...whole,
    paths: Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0)),
  };
}

/** @returns {Set<string>} of its operations */
export const idsOf = ({ paths }) =>
  new Set(
    Object.values(/** @type {Record<string, any>} */ (paths)).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    ),
  );
