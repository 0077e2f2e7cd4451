// Asks as the official client for Node does: chat.mjs BASE_URL QUESTION [stream]. Prints the answer, or the error as JSON.
import { createRequire } from "node:module";

const { OpenAI } = createRequire(`${process.env.CLIENTS}/package.json`)("openai");
const [baseURL, content, stream] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: "sk-0123456789" });
const body = { model: "model-1", messages: [{ role: "user", content }] };
try {
  if (stream) {
    let text = "";
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      text += chunk.choices[0]?.delta?.content ?? "";
    }
    console.log(text);
  } else {
    console.log((await client.chat.completions.create(body)).choices[0].message.content);
  }
} catch (error) {
  console.log(JSON.stringify({ name: error.constructor.name, status: error.status, type: error.type }));
}
