/** The deleted websites whose hits and statistics are still stored. */
export interface DeletedWebsites {
  /**
   * The id of one of them, or `undefined`. A website is due when it has been deleted, and again an hour later, because hits
   * may have been in flight.
   */
  findDue(): Promise<string | undefined>;

  /** Notes that its hits and statistics are deleted. */
  confirm(id: string): Promise<void>;
}
