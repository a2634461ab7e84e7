/** The version of the program. A test compares it with package.json: to read the file would cost time at each start. */
export const VERSION = "0.1.0";
