/** Hashes the passwords of statistics pages, slowly on purpose. */
export interface PasswordHasher {
  /**
   * The argon2id hash, in PHC form, under a salt of its own.
   *
   * @throws DomainError `unavailable` where too many hashes are waiting
   */
  hash(password: string): Promise<string>;

  /**
   * Whether the hash was made of this password.
   *
   * @throws DomainError `unavailable` where too many hashes are waiting
   */
  verify(hash: string, password: string): Promise<boolean>;
}
