/** Hours that stay rolled up: the pages of a list that was begun in an earlier one are read on. */
export const keptHours = 4;
