/**
 * A column with sealed secrets (SecretBox). A service lists its own in its definition; the host counts them by key
 * and re-encrypts what an older key sealed.
 */
export interface SealedColumn {
  /** what an operator calls it: `dkim-keys` */
  readonly kind: string;
  readonly table: string;
  /** the columns of the primary key, in its order, with their SQL types */
  readonly primaryKey: Readonly<Record<string, 'uuid' | 'text' | 'bigint'>>;
  /** null in it is no secret */
  readonly column: string;
  /** default `text`; a bytea holds the bytes of the sealed text */
  readonly type?: 'text' | 'bytea';
  /** SQL condition: the rows in which the column is sealed; default all */
  readonly where?: string;
  /** the words with which a row's secret was sealed, of its primary key */
  readonly about: (...primaryKey: string[]) => string;
}

/**
 * A table with hashes under a Pepper. Nobody can rehash them but whoever is shown the secret, so what an older key
 * hashed is hashed anew when it is used; the host counts them.
 */
export interface PepperedColumn {
  /** what an operator calls it: `api-keys` */
  readonly kind: string;
  readonly table: string;
  /** bytea, with a unique index */
  readonly hashColumn: string;
  /** holds the id of the pepper's key (`Pepper.keyId`); null = hashed before ids were kept */
  readonly keyIdColumn: string;
}
