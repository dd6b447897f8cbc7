// A question that could not be sent, kept in this tab until it is: a reload or a look at another page loses nothing.

const KEY = "clew-question";

export function holdQuestion(question: string): void {
  if (!question.trim()) {
    letQuestionGo();
    return;
  }
  try {
    sessionStorage.setItem(KEY, question);
  } catch {
    // Storage is full or forbidden: the page still holds it.
  }
}

export function letQuestionGo(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // It was never kept.
  }
}

/** The question that was not sent; "" when there is none. */
export function heldQuestion(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}
