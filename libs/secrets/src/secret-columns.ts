/**
 * A column with sealed secrets (SecretBox). A service lists its columns in its definition; the host counts the secrets
 * by key and encrypts those of older keys again.
 */
export interface SealedColumn {
  /** its name for operators: `dkim-keys` */
  readonly kind: string;
  readonly table: string;
  /** the columns of the primary key, in its order, with their SQL types */
  readonly primaryKey: Readonly<Record<string, 'uuid' | 'text' | 'bigint'>>;
  /** null means that the row has no secret */
  readonly column: string;
  /** default `text`; a bytea holds the bytes of the sealed text */
  readonly type?: 'text' | 'bytea';
  /** SQL condition: the rows in which the column is sealed; default all */
  readonly where?: string;
  /** the `about` text with which a row's secret was sealed, from its primary key */
  readonly about: (...primaryKey: string[]) => string;
}

/**
 * A table with hashes under a Pepper. Only a process that has the secret can rehash it, so a hash under an older key is
 * replaced when its secret is next used. The host counts the hashes by key.
 */
export interface PepperedColumn {
  /** its name for operators: `api-keys` */
  readonly kind: string;
  readonly table: string;
  /** bytea, with a unique index */
  readonly hashColumn: string;
  /** holds the id of the pepper's key (`Pepper.keyId`); null = hashed before ids were kept */
  readonly keyIdColumn: string;
}
