package io.streampulse.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

class AnswersInOrderTest {
  private final ByteArrayOutputStream client = new ByteArrayOutputStream();
  private final AnswersInOrder answers =
      new AnswersInOrder(new DataOutputStream(client), (request, answer) -> answer);

  @Test
  void anAnswerThatIsReadyWaitsForTheBrokersAnswersBeforeIt() throws Exception {
    answers.expect(request(1));
    answers.answer(request(2), answer(2));
    answers.expect(request(3));
    answers.answer(request(4), answer(4));
    assertThat(correlations()).isEmpty();

    answers.relay(answer(1));
    assertThat(correlations()).containsExactly(1, 2);

    answers.relay(answer(3));
    assertThat(correlations()).containsExactly(1, 2, 3, 4);
  }

  @Test
  void anAnswerIsSentAtOnceWhereNoneIsAwaited() throws Exception {
    answers.answer(request(1), answer(1));

    assertThat(correlations()).containsExactly(1);
  }

  @Test
  void anAnswerThatIsNotDueIsAnError() {
    answers.expect(request(1));

    assertThatThrownBy(() -> answers.relay(answer(2)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("2");
  }

  private List<Integer> correlations() {
    ByteBuffer sent = ByteBuffer.wrap(client.toByteArray());
    List<Integer> correlations = new ArrayList<>();
    while (sent.hasRemaining()) {
      assertThat(sent.getInt()).isEqualTo(Integer.BYTES);
      correlations.add(sent.getInt());
    }
    return correlations;
  }

  private static RequestHeader request(int correlation) {
    return new RequestHeader(ApiKeys.PRODUCE, (short) 7, "client", correlation);
  }

  private static ByteBuffer answer(int correlation) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(correlation).flip();
  }
}
