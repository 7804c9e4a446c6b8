/** Hashes the passwords of statistics pages with a deliberately slow hash. */
export interface PasswordHasher {
  /**
   * The argon2id hash, in PHC format, with a random salt.
   *
   * @throws DomainError `unavailable` if too many hashes are waiting
   */
  hash(password: string): Promise<string>;

  /**
   * Whether the hash is of this password.
   *
   * @throws DomainError `unavailable` if too many hashes are waiting
   */
  verify(hash: string, password: string): Promise<boolean>;
}
