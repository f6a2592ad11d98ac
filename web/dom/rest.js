/** Lets the page draw and listen before what comes next. */
export const rest = () => new Promise((resolve) => setTimeout(resolve));
