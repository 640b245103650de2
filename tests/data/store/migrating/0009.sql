update questions set parents = '["dog"]';
