// Asks with an official client that is told nothing: the environment names the server and the key. recipe.mjs openai|anthropic
import { createRequire } from "node:module";

const require = createRequire(`${process.env.CLIENTS}/package.json`);
const messages = [{ role: "user", content: "a" }];
if (process.argv[2] === "openai") {
  const { OpenAI } = require("openai");
  const answer = await new OpenAI().chat.completions.create({ model: "model-1", messages });
  console.log(answer.choices[0].message.content);
} else {
  const { Anthropic } = require("@anthropic-ai/sdk");
  const answer = await new Anthropic().messages.create({ model: "model-1", max_tokens: 9, messages });
  console.log(answer.content[0].text);
}
